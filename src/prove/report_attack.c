/*
 * The list of attacks, and one attack, for a terminal of 80 characters.
 */
#include <string.h>

#include "base/error.h"
#include "prove/report.h"
#include "prove/report_parts.h"

#define WIDTH       80
#define LABEL_WIDTH 10

static const struct {
    enum attack_need need;
    const char *words;
} needs[] = {
    {NEEDS_ROOT,                "the caller is root"                                             },
    {NEEDS_USER,                "the caller is not root"                                         },
    {NEEDS_ROUTE,               "a route out of this machine"                                    },
    {NEEDS_GROUP,               "for the promise, a control group that counts the tree"          },
    {NEEDS_TWO_CPUS,            "more than one CPU"                                              },
    {NEEDS_CORE_FILES,          "a kernel that writes core dumps to files"                       },
    {NEEDS_I386,                "a kernel with the i386 system-call table"                       },
    {NEEDS_X32,                 "a kernel with the x32 system-call table"                        },
    {NEEDS_DISK,                "a block device that the caller can open"                        },
    {NEEDS_KVM,                 "/dev/kvm, which the caller can open"                            },
    {NEEDS_IPV6,                "the IPv6 loopback address"                                      },
    {NEEDS_PUSH,                "a kernel that lets the caller push characters into its terminal"},
    {NEEDS_UNPRIVILEGED_USERNS, "user namespaces for the caller"                                 },
    {NEEDS_PERF,                "perf_event_open for the caller"                                 },
    {NEEDS_IO_URING,            "io_uring"                                                       },
    {NEEDS_SETUID,              "/bin/su with its set-user-id bit"                               },
    {GIVES_TERMINAL,            "a controlling terminal, which it is given"                      },
};

/* Adds to a text that is cut at its size: what stands in the tables is shorter. */
static void add(char *text, size_t size, const char *between, const char *word)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", word);
}

static void put_line(FILE *out, const char *label, const char *text)
{
    if (!text || !text[0])
        return;
    (void)fprintf(out, "  %-*s", LABEL_WIDTH - 2, label);
    shown_wrap(out, text, LABEL_WIDTH, WIDTH);
}

static void put_needs(FILE *out, const struct attack *attack)
{
    char text[512] = "";

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (attack->needs & needs[i].need)
            add(text, sizeof(text), "; ", needs[i].words);
    }
    put_line(out, "needs", text);
}

static void put_words(FILE *out, const struct attack *attack)
{
    char text[1024] = "";

    for (size_t i = 0; i < ATTACK_WORDS_MAX && attack->words[i]; i++)
        add(text, sizeof(text), " ", attack->words[i]);
    put_line(out, "words", text);
}

static void put_limit(FILE *out, const char *label, unsigned limit_ms)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "a limit of %u ms", limit_ms);
    put_line(out, label, limit_ms > 0 ? text : "");
}

int report_attack(const struct attack *attack, FILE *out)
{
    char text[64];

    (void)fprintf(out, "%s\n", attack->id);
    put_line(out, "tries", attack->tries);
    put_line(out, "harm", attack->harm);
    put_line(out, "layer", layer_name(attack->layer));
    (void)snprintf(text, sizeof(text), "L%d: the first level that promises to stop it",
                   attack->from);
    put_line(out, "from", text);
    put_line(out, "topic", topic_name(attack->topic));
    put_needs(out, attack);
    put_words(out, attack);
    put_line(out, "options", attack->options);
    put_limit(out, "wall", attack->wall_ms);
    put_limit(out, "CPU", attack->cpu_ms);
    return stream_end(out);
}

static size_t longest_id(void)
{
    const struct attack *attack = NULL;
    size_t length = 0;

    for (size_t i = 0; (attack = attack_at(i)); i++) {
        size_t own = strlen(attack->id);
        length = own > length ? own : length;
    }
    return length;
}

/* Returns how many attacks the layer has. */
static size_t list_layer(enum berm_layer layer, size_t id_width, FILE *out)
{
    const struct attack *attack = NULL;
    size_t count = 0;

    for (size_t i = 0; (attack = attack_at(i)); i++) {
        if (attack->layer != layer)
            continue;
        if (count++ == 0)
            (void)fprintf(out, "%s\n", layer_name(layer));
        (void)fprintf(out, "  %-*s  L%d  ", (int)id_width, attack->id, attack->from);
        shown_wrap(out, attack->tries, id_width + 8, WIDTH);
    }
    if (count > 0)
        (void)fputc('\n', out);
    return count;
}

int report_list(FILE *out)
{
    size_t id_width = longest_id();
    size_t count = 0;

    for (unsigned layer = BERM_LAYER_NONE; layer < BERM_LAYER_COUNT; layer++)
        count += list_layer((enum berm_layer)layer, id_width, out);
    (void)fprintf(out, "%zu attacks, each with the first level that promises to stop it.\n", count);
    return stream_end(out);
}
