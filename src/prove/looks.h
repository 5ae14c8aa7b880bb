/*
 * How the host judges: one look for one kind of harm. Each says in words what it saw.
 */
#ifndef BERM_PROVE_LOOKS_H
#define BERM_PROVE_LOOKS_H

#include "prove/attack.h"

/* What `detail` says for some of them. */
enum victim_harm {
    VICTIM_ENDED,
    VICTIM_STOPPED,
    VICTIM_WRITTEN,
    VICTIM_LIMITED,
    VICTIM_NICED
};

enum open_thing {
    OPEN_BPF,
    OPEN_PERF,
    OPEN_USERFAULTFD,
    OPEN_IO_URING,
    OPEN_FANOTIFY,
    OPEN_KVM,
    OPEN_DISK,
    OPEN_KMSG
};

/* After the end. */
bool look_secret(struct scene *scene, char *seen, size_t size);   /* a canary in the output */
bool look_honeypot(struct scene *scene, char *seen, size_t size); /* detail: which */
bool look_drop(struct scene *scene, char *seen, size_t size);     /* detail: which */
bool look_app(struct scene *scene, char *seen, size_t size);
bool look_outlasted(struct scene *scene, char *seen, size_t size); /* the wall-clock limit */
bool look_cpu(struct scene *scene, char *seen, size_t size);       /* the CPU-time limit */
bool look_output(struct scene *scene, char *seen, size_t size);    /* detail: bytes */
bool look_survivors(struct scene *scene, char *seen, size_t size);
bool look_victim(struct scene *scene, char *seen, size_t size); /* detail: enum victim_harm */
bool look_terminal_output(struct scene *scene, char *seen, size_t size);
bool look_terminal_input(struct scene *scene, char *seen, size_t size);
bool look_semaphore(struct scene *scene, char *seen, size_t size);
bool look_host_name_changed(struct scene *scene, char *seen, size_t size);
bool look_host_name_said(struct scene *scene, char *seen, size_t size);
bool look_core(struct scene *scene, char *seen, size_t size);
bool look_host_line(struct scene *scene, char *seen, size_t size); /* of a file of the host's */
bool look_host_address(struct scene *scene, char *seen, size_t size);
bool look_kernel_log(struct scene *scene, char *seen, size_t size);

/* While the program holds still. */
bool look_memory(struct scene *scene, char *seen, size_t size);      /* detail: MiB */
bool look_processes(struct scene *scene, char *seen, size_t size);   /* detail: how many */
bool look_threads(struct scene *scene, char *seen, size_t size);     /* detail: how many */
bool look_open_files(struct scene *scene, char *seen, size_t size);  /* detail: how many */
bool look_stored(struct scene *scene, char *seen, size_t size);      /* detail: MiB */
bool look_file_count(struct scene *scene, char *seen, size_t size);  /* detail: how many */
bool look_memory_file(struct scene *scene, char *seen, size_t size); /* detail: MiB */
bool look_root_uid(struct scene *scene, char *seen, size_t size);
bool look_capabilities(struct scene *scene, char *seen, size_t size);
bool look_new_privileges(struct scene *scene, char *seen, size_t size);
bool look_no_filter(struct scene *scene, char *seen, size_t size);
bool look_priority(struct scene *scene, char *seen, size_t size);
bool look_real_time(struct scene *scene, char *seen, size_t size);
bool look_oom_score(struct scene *scene, char *seen, size_t size);
bool look_cpus(struct scene *scene, char *seen, size_t size);
bool look_descriptor(struct scene *scene, char *seen, size_t size); /* detail: enum open_thing */
bool look_mounted(struct scene *scene, char *seen, size_t size);
bool look_namespaces(struct scene *scene, char *seen, size_t size); /* two in one attack */
bool look_route(struct scene *scene, char *seen, size_t size);
bool look_listener(struct scene *scene, char *seen, size_t size);
bool look_personality(struct scene *scene, char *seen, size_t size);
bool look_node(struct scene *scene, char *seen, size_t size);
bool look_hard_link(struct scene *scene, char *seen, size_t size);
bool look_root_child(struct scene *scene, char *seen, size_t size);
bool send_secret_datagram(struct scene *scene, char *seen,
                          size_t size); /* for who listens; sees nothing itself */

#endif
