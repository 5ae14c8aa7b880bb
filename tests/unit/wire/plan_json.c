/*
 * Claims about wire/plan_json.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "wire/plan_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plan/full_plan.h"
#include "collect.h"
#include "judge.h"

static char *written(bool is_pretty)
{
    struct collected collected = {0};
    struct json_writer json;
    struct plan *plan = full_plan();
    json_begin(&json, collect, &collected, is_pretty);
    assert_int_equal(plan_to_json(plan, &json), 0);
    free(plan);
    return collected.text;
}

static void every_table_of_a_plan_is_in_its_json(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"schema",                  "1"                                                                       },
        {"layers.0.state",          "\"on\""                                                                  },
        {"layers.3.state",          "\"weaker\""                                                              },
        {"notes.0.text",            "\"the caller's groups are kept\""                                        },
        {"program.argv",            "[\"python3\",\"-c\",\"print('\\u001B[2J')\"]"                            },
        {"program.variables",       "[\"LANG\",\"TOKEN\"]"                                                    },
        {"program.directory",       "\"(the work directory)\""                                                },
        {"program.umask",           "18"                                                                      },
        {"supervisor.wall_s",       "30.0"                                                                    },
        {"supervisor.memory_bytes", "536870912"                                                               },
        {"features",                "[\"init\",\"no-network\",\"drop-capabilities\"]"                         },
        {"namespaces",              "[{\"layer\":\"privileges\",\"name\":\"user\"},"
                       "{\"layer\":\"network\",\"name\":\"network\"}]"                  },
        {"identity.inside_uid",     "1000"                                                                    },
        {"mounts.1",                "{\"layer\":\"filesystem\",\"op\":\"bind\",\"source\":\"/usr\","
                     "\"target\":\"usr\",\"data\":\"\",\"flags\":9,\"mode\":0}"           },
        {"rlimits.0",               "{\"layer\":\"limits\",\"resource\":\"nofile\",\"soft\":64,\"hard\":null}"},
        {"cgroup_version",          "2"                                                                       },
        {"group_writes.0",
         "{\"layer\":\"limits\",\"controller\":\"memory\",\"file\":\"memory.max\","
         "\"value\":\"536870912\",\"optional\":true}"                                                         },
        {"landlock.fs",             "8191"                                                                    },
        {"landlock.rules.0.path",   "\"/usr\""                                                                },
        {"filter",                  "\"standard\""                                                            },
    };
    char *json = written(false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *value = judge_at(json, rows[i][0]);
        assert_string_equal(value, rows[i][1]);
        free(value);
    }
    free(json);
}

static void the_value_of_a_variable_is_nowhere(void **state)
{
    (void)state;
    char *json = written(true);
    assert_non_null(strstr(json, "TOKEN"));
    assert_null(strstr(json, "xyz789"));
    assert_null(strchr(json, '\x1b'));
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_of_a_plan_is_in_its_json),
        cmocka_unit_test(the_value_of_a_variable_is_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
