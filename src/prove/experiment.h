/*
 * `berm prove experiment`: named runs that show one lesson each, as a small table of what the host read off.
 */
#ifndef BERM_PROVE_EXPERIMENT_H
#define BERM_PROVE_EXPERIMENT_H

/**
 * The whole of it: without a name the list, with a name the experiment.
 *
 * @argv  borrows; "experiment" is the first word.
 * Returns the exit status: 0 the table shows the lesson, 1 it does not, 125 nothing could be run.
 * Test: prove/test_experiments.
 */
int experiment_main(int argc, char **argv);

#endif
