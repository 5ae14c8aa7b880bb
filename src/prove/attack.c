/*
 * All tables of attacks together.
 */
#include "prove/attack.h"

#include <string.h>

#include "prove/attacks.h"

const struct attack_table prove_tables[] = {
    {attacks_limits,  &attacks_limits_count },
    {attacks_others,  &attacks_others_count },
    {attacks_network, &attacks_network_count},
    {attacks_files,   &attacks_files_count  },
    {attacks_kernel,  &attacks_kernel_count },
};

const size_t prove_table_count = sizeof(prove_tables) / sizeof(prove_tables[0]);

const struct attack *attack_at(size_t index)
{
    for (size_t i = 0; i < prove_table_count; i++) {
        if (index < *prove_tables[i].count)
            return &prove_tables[i].attacks[index];
        index -= *prove_tables[i].count;
    }
    return NULL;
}

const struct attack *attack_find(const char *id)
{
    const struct attack *attack;

    for (size_t i = 0; (attack = attack_at(i)) != NULL; i++) {
        if (strcmp(attack->id, id) == 0)
            return attack;
    }
    for (size_t i = 0; i < prove_check_count; i++) {
        if (strcmp(prove_checks[i].id, id) == 0)
            return &prove_checks[i];
    }
    return NULL;
}

const char *topic_name(enum topic topic)
{
    static const char *const names[TOPIC_COUNT] = {
        [TOPIC_TIME] = "wall clock",
        [TOPIC_CPU_TIME] = "CPU time",
        [TOPIC_CPUS] = "CPUs",
        [TOPIC_MEMORY] = "memory",
        [TOPIC_FILE_SIZE] = "file size",
        [TOPIC_STORAGE] = "storage",
        [TOPIC_OPEN_FILES] = "open files",
        [TOPIC_PROCESSES] = "processes",
        [TOPIC_OUTPUT] = "output",
        [TOPIC_LEFTOVERS] = "leftovers",
        [TOPIC_ENVIRONMENT] = "environment",
        [TOPIC_OTHERS] = "other processes",
        [TOPIC_NETWORK] = "network",
        [TOPIC_SECRETS] = "chosen paths",
        [TOPIC_FILES] = "files",
        [TOPIC_SHARED] = "shared",
        [TOPIC_PRIVILEGES] = "privileges",
        [TOPIC_KERNEL] = "kernel",
    };

    return topic < TOPIC_COUNT ? names[topic] : "unknown";
}
