/*
 * Prints a plan for a person: see dump.h.
 */
#include "plan/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* A format with numbers and words of berm's own never makes a longer piece; foreign texts go through
 * put_text(), which has no limit. */
#define PIECE_SIZE 256

struct dump {
    const struct plan *plan;
    dump_sink sink;
    void *context;
    int failed;
};

static void put_bytes(struct dump *dump, const char *bytes, size_t size)
{
    if (!dump->failed && size > 0)
        dump->failed = dump->sink(dump->context, bytes, size);
}

__attribute__((format(printf, 2, 3))) static void put(struct dump *dump, const char *format, ...)
{
    char piece[PIECE_SIZE];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    if (length > 0)
        put_bytes(dump, piece, (size_t)length < sizeof(piece) ? (size_t)length : sizeof(piece) - 1);
}

static void put_hex(struct dump *dump, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put(dump, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
}

/* A foreign text: what is not a visible character of valid UTF-8 is written as \xNN, byte by byte. */
static void put_span(struct dump *dump, const char *text, size_t size)
{
    while (size > 0 && !dump->failed) {
        int char_size = text_char_size(text, size);
        size_t done = char_size > 0 ? (size_t)char_size : 1;
        if (char_size > 0 && !text_is_control(text_char_code(text, char_size)))
            put_bytes(dump, text, done);
        else
            put_hex(dump, text, done);
        text += done;
        size -= done;
    }
}

static void put_text(struct dump *dump, plan_text offset)
{
    const char *text = plan_shown_text(dump->plan, offset);
    put_span(dump, text, strlen(text));
}

static void put_heading(struct dump *dump, const char *heading)
{
    put(dump, "%s\n", heading);
}

/* The owner first: every act is somebody's promise. */
static void put_owner(struct dump *dump, uint8_t layer)
{
    put(dump, "  %-11s ", layer_name((enum berm_layer)layer));
}

static void put_promises(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    put_heading(dump, "promises");
    for (int layer = BERM_LAYER_NONE + 1; layer < BERM_LAYER_COUNT; layer++) {
        put_owner(dump, (uint8_t)layer);
        put(dump, "%s\n", plan_layer_state(plan, (enum berm_layer)layer));
        for (uint32_t i = 0; i < plan->claim_count; i++) {
            if (plan->claims[i].layer != layer)
                continue;
            put(dump, "    %-7s ", claim_strength_name(plan->claims[i].strength));
            put_text(dump, plan->claims[i].what);
            put(dump, ": ");
            put_text(dump, plan->claims[i].mechanism);
            put(dump, "\n");
        }
    }
}

static void put_notes(struct dump *dump)
{
    if (dump->plan->note_count > 0)
        put_heading(dump, "notes");
    for (uint32_t i = 0; i < dump->plan->note_count; i++) {
        put_owner(dump, dump->plan->notes[i].layer);
        put_text(dump, dump->plan->notes[i].text);
        put(dump, "\n");
    }
}

/* One text of a run that begins at *text; moves to the next. */
static plan_text next_text(const struct plan *plan, plan_text text)
{
    return text + (plan_text)strlen(plan_text_of(plan, text)) + 1;
}

static void put_program(struct dump *dump)
{
    const struct plan *plan = dump->plan;
    plan_text text = plan->argv;

    put_heading(dump, "program");
    for (uint32_t i = 0; i < plan->argc; i++, text = next_text(plan, text)) {
        put(dump, "  argument    ");
        put_text(dump, text);
        put(dump, "\n");
    }
    put(dump, "  directory   ");
    put_text(dump, plan->cwd);
    put(dump, "\n  stdin       %s\n  umask       %03o\n", plan->has_stdin ? "fed" : "empty",
        (unsigned)plan->umask);
}

/* Names only: a value may be a secret, and this text ends in logs. */
static void put_variables(struct dump *dump)
{
    const struct plan *plan = dump->plan;
    plan_text text = plan->envp;

    put(dump, "  variables  ");
    for (uint32_t i = 0; i < plan->envc; i++, text = next_text(plan, text)) {
        const char *variable = plan_text_of(plan, text);
        put(dump, " ");
        put_span(dump, variable, strcspn(variable, "="));
    }
    put(dump, "\n");
}

static void put_supervision(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    const struct {
        const char *what;
        uint64_t value;
    } rows[] = {
        {"wall clock, ns",                   plan->wall_ns           },
        {"CPU time of the tree, ns",         plan->cpu_ns            },
        {"memory of the tree, bytes",        plan->memory_bytes      },
        {"processes of the tree",            plan->process_count     },
        {"output kept, characters a stream", plan->output_chars      },
        {"output that ends the run, bytes",  plan->output_total_bytes},
    };

    put_heading(dump, "supervisor (0 = no limit)");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        put(dump, "  %-34s %llu\n", rows[i].what, (unsigned long long)rows[i].value);
    put(dump, "  does       ");
    for (unsigned bit = 0; plan_feature_name(bit); bit++) {
        if (plan->features & (1u << bit))
            put(dump, " %s", plan_feature_name(bit));
    }
    put(dump, "\n");
}

static void put_namespaces(struct dump *dump)
{
    const char *name;
    uint64_t flag = 0;

    put_heading(dump, "namespaces");
    for (unsigned row = 0; (name = plan_namespace_name(row, &flag)) != NULL; row++) {
        if (!(dump->plan->clone_flags & flag))
            continue;
        put_owner(dump, dump->plan->clone_owner[row]);
        put(dump, "%s\n", name);
    }
}

static void put_identity(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    put_heading(dump, "identity");
    put(dump, "  inside      uid %u, gid %u\n", (unsigned)plan->inside_uid,
        (unsigned)plan->inside_gid);
    put(dump, "  outside     %s\n",
        plan_has(plan, PLAN_HOST_UID) ? "a host uid of the run's own" : "the caller's uid");
    put(dump, "  groups      %s\n", plan->drop_groups ? "dropped" : "the caller's");
}

static void put_mount_flags(struct dump *dump, const struct plan_mount *mount)
{
    static const char *const names[] = {"ro", "noexec", "dev", "recursive", "optional", "file"};

    for (unsigned bit = 0; bit < sizeof(names) / sizeof(names[0]); bit++) {
        if (mount->flags & (1u << bit))
            put(dump, " %s", names[bit]);
    }
    if (mount->mode != 0)
        put(dump, " %04o", (unsigned)mount->mode);
}

/* The contents of a synthesised file are its own matter; the options of a mount are ours to show. */
static void put_mounts(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    if (plan->mount_count > 0)
        put_heading(dump, "file tree, in this order");
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *mount = &plan->mounts[i];
        put_owner(dump, mount->layer);
        put(dump, "%-9s ", mount_op_name(mount->op));
        put_text(dump, mount->target);
        if (mount->source != 0) {
            put(dump, " <- ");
            put_text(dump, mount->source);
        }
        put_mount_flags(dump, mount);
        if (mount->data != 0 && mount->op != MOUNT_FILE) {
            put(dump, " (");
            put_text(dump, mount->data);
            put(dump, ")");
        }
        put(dump, "\n");
    }
}

static void put_limit(struct dump *dump, uint64_t value)
{
    if (value == UINT64_MAX) /* RLIM64_INFINITY, prlimit(2) */
        put(dump, " unlimited");
    else
        put(dump, " %llu", (unsigned long long)value);
}

static void put_rlimits(struct dump *dump)
{
    if (dump->plan->rlimit_count > 0)
        put_heading(dump, "resource limits (soft, hard)");
    for (uint32_t i = 0; i < dump->plan->rlimit_count; i++) {
        const struct plan_rlimit *limit = &dump->plan->rlimits[i];
        put_owner(dump, limit->layer);
        put(dump, "%-10s", rlimit_name(limit->resource));
        put_limit(dump, limit->soft);
        put_limit(dump, limit->hard);
        put(dump, "\n");
    }
}

static void put_group_writes(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    if (plan->group_write_count > 0)
        put(dump, "control group, version %u\n", (unsigned)plan->cgroup_version);
    for (uint32_t i = 0; i < plan->group_write_count; i++) {
        const struct plan_group_write *write = &plan->group_writes[i];
        put_owner(dump, write->layer);
        put(dump, "%s: ", plan_controller_name(write->controller));
        put_text(dump, write->file);
        put(dump, " = ");
        put_text(dump, write->value);
        put(dump, "%s\n", write->is_optional ? " (where the kernel has it)" : "");
    }
}

static void put_landlock(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    if ((plan->landlock_fs | plan->landlock_net | plan->landlock_scoped) == 0)
        return;
    put(dump, "Landlock (rights: file system %#llx, network %#llx, scopes %#llx)\n",
        (unsigned long long)plan->landlock_fs, (unsigned long long)plan->landlock_net,
        (unsigned long long)plan->landlock_scoped);
    for (uint32_t i = 0; i < plan->rule_count; i++) {
        put_owner(dump, plan->rules[i].layer);
        put(dump, "%#-8llx ", (unsigned long long)plan->rules[i].access);
        put_text(dump, plan->rules[i].path);
        put(dump, "\n");
    }
}

/* What must be read back from the kernel before the program is executed. */
static void put_evidence(struct dump *dump)
{
    const struct plan *plan = dump->plan;

    const struct {
        bool is_checked;
        const char *what;
    } rows[] = {
        {plan_has(plan,                     PLAN_USER_NAMESPACE),             "user and group id"},
        {plan->clone_flags != 0,                                 "namespaces differ from the caller's"                                           },
        {plan_has(plan,                                 PLAN_INIT),          "process id inside"},
        {plan->drop_groups,              "no supplementary group"                                    },
        {plan_has(plan,PLAN_NO_NETWORK),"no network interface up but the one asked for"},
        {plan->rlimit_count > 0,                      "every resource limit"               },
        {plan_has(plan,            PLAN_READ_ONLY_ROOT), "the root is read-only"},
        {plan_has(plan,                     PLAN_DROP_CAPABILITIES),                      "all five capability sets empty"},
        {plan_has(plan,                                 PLAN_NO_NEW_PRIVS),                                                     "no_new_privs"},
        {plan->landlock_fs != 0, "Landlock refuses a probe"           },
        {plan->filter != FILTER_NONE,"the filter is in force and refuses a probe"},
    };

    put(dump, "system-call filter\n  %s\n", plan->filter == FILTER_STANDARD ? "standard" : "none");
    put_heading(dump, "evidence read back before the program starts");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].is_checked)
            put(dump, "  %s\n", rows[i].what);
    }
}

int plan_dump(const struct plan *plan, dump_sink sink, void *context)
{
    struct dump dump = {.plan = plan, .sink = sink, .context = context};

    put_promises(&dump);
    put_notes(&dump);
    put_program(&dump);
    put_variables(&dump);
    put_supervision(&dump);
    put_namespaces(&dump);
    put_identity(&dump);
    put_mounts(&dump);
    put_rlimits(&dump);
    put_group_writes(&dump);
    put_landlock(&dump);
    put_evidence(&dump);
    return dump.failed;
}
