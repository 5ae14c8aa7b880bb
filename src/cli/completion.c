/*
 * Completion scripts. Owns the few lines of shell around the words.
 */
#include "cli/completion.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "policy/policy.h"

#define LAYER_WORDS "limits env process network filesystem privileges syscalls"

/* What may follow a flag: words, or files when there are none. */
struct choice {
    unsigned flag;
    const char *words;
};

static const struct choice choices[] = {
    {FLAG_SELECTOR_level,   "L0 L1 L2 L3 L4 L5 L6"},
    {FLAG_SELECTOR_profile, "standard lesson"     },
    {FLAG_SELECTOR_require, LAYER_WORDS           },
    {FLAG_SELECTOR_prefer,  LAYER_WORDS           },
    {FLAG_SELECTOR_off,     LAYER_WORDS           },
    {FLAG_FIELD_network,    "none"                },
};

/* Flags whose value is a path of the host. */
static const unsigned path_flags[] = {
    FLAG_SELECTOR_policy_file, FLAG_FIELD_hide,        FLAG_FIELD_ro,      FLAG_FIELD_rw,
    FLAG_FIELD_env_file,       FLAG_OPTION_stdin_from, FLAG_OPTION_result,
};

static bool takes_path(size_t flag)
{
    for (size_t i = 0; i < sizeof(path_flags) / sizeof(path_flags[0]); i++)
        if (path_flags[i] == flag)
            return true;
    return false;
}

static const char *words_of(size_t flag)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        if (choices[i].flag == flag)
            return choices[i].words;
    return NULL;
}

/* The first sentence of a help text, as a shell's string in single quotes needs it. */
static void put_quoted(FILE *out, const char *text, const char *escaped)
{
    size_t size = strcspn(text, ".;:");

    for (size_t i = 0; i < size; i++) {
        if (strchr(escaped, text[i]))
            (void)fputc('\\', out);
        if (text[i] == '\'')
            (void)fputs("'\\''", out);
        else
            (void)fputc(text[i], out);
    }
}

static void put_flags(FILE *out, bool has_value)
{
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if ((*option_flags[i].arg != '\0') == has_value)
            (void)fprintf(out, "--%s ", option_flags[i].word);
}

/*
 * The walk finds where the command begins: from there on the words are the program's, not berm's. Bash
 * hands --wall=5s over as three words.
 */
static const char bash_function[] =
    "_berm() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        COMPREPLY=($(compgen -W \"$_berm_verbs\" -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    case ${COMP_WORDS[1]} in\n"
    "        run|code|explain) ;;\n"
    "        prove) COMPREPLY=($(compgen -W '--only --level --against --json --markdown --html --list --explain --jobs "
    "--help' -- \"$cur\")); return;;\n"
    "        policy) COMPREPLY=($(compgen -W 'check show schema' -f -- \"$cur\")); return;;\n"
    "        completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\")); return;;\n"
    "        help) COMPREPLY=($(compgen -W \"$_berm_verbs\" -- \"$cur\")); return;;\n"
    "        *) return;;\n"
    "    esac\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case \" $_berm_valued \" in\n"
    "            *\" ${COMP_WORDS[i]} \"*)\n"
    "                ((i++))\n"
    "                [[ ${COMP_WORDS[i]} == = ]] && ((i++))\n"
    "                continue;;\n"
    "        esac\n"
    "        [[ ${COMP_WORDS[i]} == -* && ${COMP_WORDS[i]} != -- ]] && continue\n"
    "        COMPREPLY=($(compgen -c -f -- \"$cur\"))\n"
    "        return\n"
    "    done\n"
    "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    case \" $_berm_valued \" in\n"
    "        *\" $prev \"*) _berm_value \"$prev\"; return;;\n"
    "    esac\n"
    "    if [[ $cur == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$_berm_switches $_berm_valued\" -- \"$cur\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -c -- \"$cur\"))\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _berm berm\n";

static void put_bash(FILE *out)
{
    (void)fputs("# bash completion for berm; made by `berm completion bash`.\n_berm_verbs='", out);
    for (const struct verb *verb = cli_verbs; verb->name; verb++)
        (void)fprintf(out, "%s ", verb->name);
    (void)fputs("'\n_berm_switches='-h --help -t ", out);
    put_flags(out, false);
    (void)fputs("'\n_berm_valued='", out);
    put_flags(out, true);
    (void)fputs("'\n_berm_value() {\n    case $1 in\n", out);
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const char *words = words_of(i);
        if (words)
            (void)fprintf(out, "        --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\"));;\n",
                          option_flags[i].word, words);
        else if (takes_path(i))
            (void)fprintf(out, "        --%s) COMPREPLY=($(compgen -f -- \"$cur\"));;\n",
                          option_flags[i].word);
    }
    (void)fputs("    esac\n}\n", out);
    (void)fputs(bash_function, out);
}

/* One row of _arguments: '*--env[TEXT]:K=V:_files'. */
static void put_zsh_flag(FILE *out, size_t i)
{
    const struct flag *flag = &option_flags[i];
    const char *words = words_of(i);

    (void)fprintf(out, "                '*--%s[", flag->word);
    put_quoted(out, flag->help, "[]\\");
    (void)fputc(']', out);
    if (*flag->arg) {
        (void)fputc(':', out);
        put_quoted(out, flag->arg, "[]\\");
        (void)fputc(':', out);
    }
    if (words)
        (void)fprintf(out, "(%s)", words);
    else if (takes_path(i))
        (void)fputs("_files", out);
    (void)fputs("' \\\n", out);
}

static void put_zsh(FILE *out)
{
    (void)fputs("#compdef berm\n# zsh completion for berm; made by `berm completion zsh`.\n"
                "_berm() {\n    local -a verbs\n    verbs=(\n",
                out);
    for (const struct verb *verb = cli_verbs; verb->name; verb++) {
        (void)fprintf(out, "        '%s:", verb->name);
        put_quoted(out, verb->summary, "");
        (void)fputs("'\n", out);
    }
    (void)fputs(
        "    )\n"
        "    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n"
        "    shift words\n    (( CURRENT-- ))\n"
        "    case $words[1] in\n"
        "        run|code|explain)\n"
        "            _arguments -S '(-)'{-h,--help}'[Print the options]' \\\n"
        "                '-t[Give the program a terminal of its own]' \\\n",
        out);
    for (size_t i = 0; i < FLAG_COUNT; i++)
        put_zsh_flag(out, i);
    (void)fputs("                '*::command:_normal';;\n"
                "        policy) _arguments '1:verb:(check show schema)' '2:file:_files';;\n"
                "        completion) _arguments '1:shell:(bash zsh fish)';;\n"
                "        help) _describe verb verbs;;\n"
                "    esac\n}\n"
                "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _berm \"$@\"\n"
                "else\n    compdef _berm berm\nfi\n",
                out);
}

static void put_fish_flag(FILE *out, size_t i)
{
    const struct flag *flag = &option_flags[i];
    const char *words = words_of(i);

    (void)fprintf(out, "complete -c berm -n '__fish_seen_subcommand_from %s' -l %s",
                  i == FLAG_OPTION_lang ? "code" : "run code explain", flag->word);
    if (i == FLAG_OPTION_tty)
        (void)fputs(" -s t", out);
    if (words)
        (void)fprintf(out, " -x -a '%s'", words);
    else if (takes_path(i))
        (void)fputs(" -r -F", out);
    else if (*flag->arg)
        (void)fputs(" -x", out);
    (void)fputs(" -d '", out);
    put_quoted(out, flag->help, "\\");
    (void)fputs("'\n", out);
}

static void put_fish(FILE *out)
{
    (void)fputs(
        "# fish completion for berm; made by `berm completion fish`.\ncomplete -c berm -f\n", out);
    for (const struct verb *verb = cli_verbs; verb->name; verb++) {
        (void)fprintf(out, "complete -c berm -n __fish_use_subcommand -a %s -d '", verb->name);
        put_quoted(out, verb->summary, "\\");
        (void)fputs("'\n", out);
    }
    for (size_t i = 0; i < FLAG_COUNT; i++)
        put_fish_flag(out, i);
    (void)fputs("complete -c berm -n '__fish_seen_subcommand_from run code explain' -s h -l help "
                "-d 'Print the options'\n"
                "complete -c berm -n '__fish_seen_subcommand_from policy' "
                "-a 'check show schema' -F\n"
                "complete -c berm -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n",
                out);
}

static const struct {
    const char *name;
    void (*put)(FILE *out);
} shells[] = {
    {"bash", put_bash},
    {"zsh",  put_zsh },
    {"fish", put_fish},
};

int completion_print(const char *shell, FILE *out, struct berm_error *err)
{
    struct quoted quoted;

    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].name, shell) != 0)
            continue;
        shells[i].put(out);
        return 0;
    }
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, "write bash, zsh or fish",
                     "completion: there is none for the shell %s", quote_text(&quoted, shell));
}
