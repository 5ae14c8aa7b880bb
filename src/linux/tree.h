/*
 * Removing a directory tree that a program filled, whatever it did to it.
 */
#ifndef BERM_LINUX_TREE_H
#define BERM_LINUX_TREE_H

/**
 * Remove the directory @name below @parent_fd and all that is in it.
 *
 * Never follows a link and never leaves the tree; depth, modes and names do not matter: a deep tree is
 * flattened by renaming, so that no path is ever longer than two names.
 * Returns 0 or -errno (the tree may be partly gone).  Threads: yes.  Since: 0.1.
 * Source: unlinkat(2), renameat(2).  Test: truth/test_sweep.
 */
int tree_remove(int parent_fd, const char *name);

#endif
