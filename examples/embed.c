/*
 * Embedding berm: run one Python program with a policy of our own, and say how it ended.
 *
 * Build against the installed library:
 *     cc embed.c $(pkg-config --cflags --libs berm) -o embed
 * usage: embed [ENGINE]      ENGINE: where berm-engine is, when berm is not installed
 */
#include <stdio.h>

#include <berm/berm.h>

static const char program[] = "import sys\n"
                              "numbers = [int(line) for line in sys.stdin]\n"
                              "print(sum(n * n for n in numbers))\n";

static int complain(const struct berm_error *err)
{
    fprintf(stderr, "berm refused (%s): %s\n  cure: %s\n", berm_error_code_name(err->code),
            err->message, err->cure);
    return 1;
}

int main(int argc, char **argv)
{
    const char *command[] = {"python3", "-c", program, NULL};
    struct berm_policy *policy = berm_policy_new();
    struct berm_request *request = berm_request_new(command);
    struct berm_run *run = NULL;
    struct berm_result *result = NULL;
    struct berm_error err = {BERM_E_NONE, BERM_LAYER_NONE, 0, "", "", ""};
    int status = 1;

    if (!policy || !request)
        return 1;
    if (argc > 1)
        (void)berm_request_set_engine(request, argv[1]);
    (void)berm_request_set_stdin_bytes(request, "1\n2\n3\n", 6);
    if (berm_policy_set(policy, "memory", "128MiB", &err) < 0 ||
        berm_policy_set(policy, "wall", "5s", &err) < 0 ||
        berm_run_start(policy, request, &run, &err) < 0) {
        status = complain(&err);
    } else if (berm_run_wait(run, UINT64_MAX) < 0 || berm_run_result(run, &result, &err) < 0) {
        status = complain(&err);
    } else {
        printf("%s, exit code %d, output: %s", berm_verdict_name(berm_result_verdict(result)),
               berm_result_exit_code(result), berm_result_stdout(result, NULL));
        status = berm_result_exit_code(result);
    }
    berm_result_free(result);
    berm_run_free(run);
    berm_request_free(request);
    berm_policy_free(policy);
    return status;
}
