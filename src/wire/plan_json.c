/*
 * The JSON of a plan: see plan_json.h.
 *
 * In: a checked plan. Out: one object. Must never: print the value of a variable.
 */
#include "wire/plan_json.h"

#include <string.h>

#include "base/error.h"
#include "plan/dump.h"

static void field_u64(struct json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

static void field_bool(struct json_writer *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

static void field_word(struct json_writer *json, const char *key, const char *word)
{
    json_key(json, key);
    json_text(json, word);
}

static void field_text(struct json_writer *json, const char *key, const struct plan *plan,
                       plan_text text)
{
    field_word(json, key, plan_shown_text(plan, text));
}

static void field_layer(struct json_writer *json, uint8_t layer)
{
    field_word(json, "layer", layer_name((enum berm_layer)layer));
}

static void begin_list(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_array(json);
}

/* A run of texts, each up to its first @end character. */
static void write_run(struct json_writer *json, const struct plan *plan, plan_text text,
                      uint32_t count, const char *end)
{
    json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        const char *at = plan_text_of(plan, text);
        json_bytes(json, at, strcspn(at, end));
        text += (plan_text)strlen(at) + 1;
    }
    json_array_end(json);
}

static void write_program(struct json_writer *json, const struct plan *plan)
{
    json_key(json, "program");
    json_object(json);
    json_key(json, "argv");
    write_run(json, plan, plan->argv, plan->argc, "");
    json_key(json, "variables"); /* names only */
    write_run(json, plan, plan->envp, plan->envc, "=");
    field_text(json, "directory", plan, plan->cwd);
    field_bool(json, "has_stdin", plan->has_stdin);
    field_u64(json, "umask", plan->umask);
    json_object_end(json);
}

static void write_supervisor(struct json_writer *json, const struct plan *plan)
{
    json_key(json, "supervisor"); /* 0 = no limit */
    json_object(json);
    json_key(json, "wall_s");
    json_seconds(json, plan->wall_ns);
    json_key(json, "cpu_s");
    json_seconds(json, plan->cpu_ns);
    field_u64(json, "memory_bytes", plan->memory_bytes);
    field_u64(json, "processes", plan->process_count);
    field_u64(json, "output_chars", plan->output_chars);
    field_u64(json, "output_total_bytes", plan->output_total_bytes);
    json_object_end(json);

    begin_list(json, "features");
    for (unsigned bit = 0; plan_feature_name(bit); bit++) {
        if (plan->features & (1u << bit))
            json_text(json, plan_feature_name(bit));
    }
    json_array_end(json);
}

static void write_identity(struct json_writer *json, const struct plan *plan)
{
    const char *name;
    uint64_t flag = 0;

    begin_list(json, "namespaces");
    for (unsigned row = 0; (name = plan_namespace_name(row, &flag)) != NULL; row++) {
        if (!(plan->clone_flags & flag))
            continue;
        json_object(json);
        field_layer(json, plan->clone_owner[row]);
        field_word(json, "name", name);
        json_object_end(json);
    }
    json_array_end(json);

    json_key(json, "identity");
    json_object(json);
    field_u64(json, "inside_uid", plan->inside_uid);
    field_u64(json, "inside_gid", plan->inside_gid);
    field_bool(json, "own_host_uid", plan_has(plan, PLAN_HOST_UID));
    field_bool(json, "drop_groups", plan->drop_groups);
    json_object_end(json);
}

static void write_mounts(struct json_writer *json, const struct plan *plan)
{
    begin_list(json, "mounts");
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct plan_mount *mount = &plan->mounts[i];
        json_object(json);
        field_layer(json, mount->layer);
        field_word(json, "op", mount_op_name(mount->op));
        field_text(json, "source", plan, mount->source);
        field_text(json, "target", plan, mount->target);
        field_text(json, "data", plan, mount->data);
        field_u64(json, "flags", mount->flags);
        field_u64(json, "mode", mount->mode);
        json_object_end(json);
    }
    json_array_end(json);
}

static void field_limit(struct json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    if (value == UINT64_MAX) /* RLIM64_INFINITY, prlimit(2) */
        json_null(json);
    else
        json_u64(json, value);
}

static void write_rlimits(struct json_writer *json, const struct plan *plan)
{
    begin_list(json, "rlimits"); /* null = unlimited */
    for (uint32_t i = 0; i < plan->rlimit_count; i++) {
        const struct plan_rlimit *limit = &plan->rlimits[i];
        json_object(json);
        field_layer(json, limit->layer);
        field_word(json, "resource", rlimit_name(limit->resource));
        field_limit(json, "soft", limit->soft);
        field_limit(json, "hard", limit->hard);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_group(struct json_writer *json, const struct plan *plan)
{
    field_u64(json, "cgroup_version", plan->cgroup_version);
    begin_list(json, "group_writes");
    for (uint32_t i = 0; i < plan->group_write_count; i++) {
        const struct plan_group_write *write = &plan->group_writes[i];
        json_object(json);
        field_layer(json, write->layer);
        field_word(json, "controller", plan_controller_name(write->controller));
        field_text(json, "file", plan, write->file);
        field_text(json, "value", plan, write->value);
        field_bool(json, "optional", write->is_optional);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_landlock(struct json_writer *json, const struct plan *plan)
{
    json_key(json, "landlock");
    json_object(json);
    field_u64(json, "fs", plan->landlock_fs);
    field_u64(json, "net", plan->landlock_net);
    field_u64(json, "scoped", plan->landlock_scoped);
    begin_list(json, "rules");
    for (uint32_t i = 0; i < plan->rule_count; i++) {
        json_object(json);
        field_layer(json, plan->rules[i].layer);
        field_text(json, "path", plan, plan->rules[i].path);
        field_u64(json, "access", plan->rules[i].access);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
    field_word(json, "filter", plan->filter == FILTER_STANDARD ? "standard" : "none");
}

void layers_to_json(const struct plan *plan, struct json_writer *json)
{
    begin_list(json, "layers");
    for (int layer = BERM_LAYER_NONE + 1; layer < BERM_LAYER_COUNT; layer++) {
        json_object(json);
        field_layer(json, (uint8_t)layer);
        field_word(json, "state", plan_layer_state(plan, (enum berm_layer)layer));
        begin_list(json, "promises");
        for (uint32_t i = 0; i < plan->claim_count; i++) {
            const struct plan_claim *claim = &plan->claims[i];
            if (claim->layer != layer)
                continue;
            json_object(json);
            field_text(json, "what", plan, claim->what);
            field_text(json, "mechanism", plan, claim->mechanism);
            field_word(json, "strength", claim_strength_name(claim->strength));
            json_object_end(json);
        }
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_notes(struct json_writer *json, const struct plan *plan)
{
    begin_list(json, "notes");
    for (uint32_t i = 0; i < plan->note_count; i++) {
        json_object(json);
        field_layer(json, plan->notes[i].layer);
        field_text(json, "text", plan, plan->notes[i].text);
        json_object_end(json);
    }
    json_array_end(json);
}

int plan_to_json(const struct plan *plan, struct json_writer *json)
{
    json_object(json);
    field_u64(json, "schema", 1);
    layers_to_json(plan, json);
    write_notes(json, plan);
    write_program(json, plan);
    write_supervisor(json, plan);
    write_identity(json, plan);
    write_mounts(json, plan);
    write_rlimits(json, plan);
    write_group(json, plan);
    write_landlock(json, plan);
    json_object_end(json);
    return json_end(json);
}
