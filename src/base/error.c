/*
 * Error records and the names of the public enums.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct berm_error *err, enum berm_error_code code, enum berm_layer layer, int number,
              const char *cure, const char *format, ...)
{
    int ret = number != 0 ? -number : -EINVAL;

    if (!err)
        return ret;
    memset(err, 0, sizeof(*err));
    err->code = code;
    err->layer = layer;
    err->system_errno = number;

    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof(err->message), format, args); /* cut at the size: wanted */
    va_end(args);
    if (cure)
        (void)snprintf(err->cure, sizeof(err->cure), "%s", cure);
    return ret;
}

void error_at_step(struct berm_error *err, const char *step)
{
    if (err)
        (void)snprintf(err->step, sizeof(err->step), "%s", step);
}

const char *error_code_name(enum berm_error_code code)
{
    static const char *const names[BERM_E_COUNT] = {
        [BERM_E_NONE] = "none",
        [BERM_E_INVALID] = "invalid",
        [BERM_E_UNAVAILABLE] = "unavailable",
        [BERM_E_NOT_FOUND] = "not_found",
        [BERM_E_NOT_EXECUTABLE] = "not_executable",
        [BERM_E_SYSTEM] = "system",
        [BERM_E_INTERNAL] = "internal",
    };
    return code < BERM_E_COUNT ? names[code] : "unknown";
}

const char *layer_name(enum berm_layer layer)
{
    static const char *const names[BERM_LAYER_COUNT] = {
        [BERM_LAYER_NONE] = "none",
        [BERM_LAYER_LIMITS] = "limits",
        [BERM_LAYER_ENV] = "env",
        [BERM_LAYER_PROCESS] = "process",
        [BERM_LAYER_NETWORK] = "network",
        [BERM_LAYER_FILESYSTEM] = "filesystem",
        [BERM_LAYER_PRIVILEGES] = "privileges",
        [BERM_LAYER_SYSCALLS] = "syscalls",
    };
    return layer < BERM_LAYER_COUNT ? names[layer] : "unknown";
}

const char *verdict_name(enum berm_verdict verdict)
{
    static const char *const names[BERM_VERDICT_COUNT] = {
        [BERM_VERDICT_NONE] = "none",
        [BERM_VERDICT_EXITED] = "exited",
        [BERM_VERDICT_SIGNALED] = "signaled",
        [BERM_VERDICT_WALL_TIMEOUT] = "wall_timeout",
        [BERM_VERDICT_CPU_TIMEOUT] = "cpu_timeout",
        [BERM_VERDICT_MEMORY] = "memory",
        [BERM_VERDICT_PROCESSES] = "processes",
        [BERM_VERDICT_OUTPUT] = "output",
        [BERM_VERDICT_DISK] = "disk",
        [BERM_VERDICT_SYSCALL] = "syscall",
        [BERM_VERDICT_CANCELLED] = "cancelled",
    };
    return verdict < BERM_VERDICT_COUNT ? names[verdict] : "unknown";
}
