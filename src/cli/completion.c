/* --completion: the completion scripts for bash, zsh and fish, made from the tables: commands, the
 * options that each command takes, the words that a value may be, names of files, and names of
 * masks, for which a script asks `stencilcli list masks`. The scripts need nothing but the shell
 * itself. Names of masks are data: no script evaluates them. */
#include "cli/option_table.h"

#include <string.h>

/* ---- what the shells share ---- */

/* The names of a command (of all filters), with BETWEEN between them. */
static void put_names(FILE *out, const struct command_spec *command, const char *between)
{
    const char *name;
    for (int i = 0; (name = command_name(command, i)); i++)
        fprintf(out, "%s%s", i ? between : "", name);
}

static void put_words(FILE *out, word_function *words, const char *between)
{
    for (int i = 0; words(i); i++)
        fprintf(out, "%s%s", i ? between : "", words(i));
}

/* "-m --mask", with BETWEEN between the two. */
static void put_option(FILE *out, const struct option_spec *spec, const char *between)
{
    if (spec->letter)
        fprintf(out, "-%c", spec->letter);
    if (spec->letter && spec->name)
        fputs(between, out);
    if (spec->name)
        fprintf(out, "--%s", spec->name);
}

/* The shown options of COMMANDS (a set), a blank before each; VALUED: only those with a value. */
static void put_options(FILE *out, unsigned commands, bool valued)
{
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));) {
        if (valued && !spec->argument)
            continue;
        fputc(' ', out);
        put_option(out, spec, " ");
    }
}

/* TEXT with a backslash before every character of SPECIAL. */
static void put_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ---- bash ----
 *
 * One function. It finds the command typed so far, sets what may stand in the place (words, masks,
 * files), and answers with what begins like the word under the cursor. It works without the
 * bash-completion package. */

static const char bash_head[] =
    "# bash completion for stencilcli, made by: stencilcli --completion bash\n"
    "_stencilcli() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command='' options='' words='' masks='' files='' i\n";

static const char bash_scan[] =
    "    # bash makes words of their own of an equals sign and of a colon.\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    [[ $cur == : || $prev == : ]] && return\n"
    "    # The command is the first word that is no option and no option's value.\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        = | :) ((i++)) ;;\n"
    "        -?*)\n"
    "            [[ $valued == *\" ${COMP_WORDS[i]} \"* && ${COMP_WORDS[i + 1]} != = ]] && "
    "((i++))\n"
    "            ;;\n"
    "        *)\n"
    "            command=${COMP_WORDS[i]}\n"
    "            break\n"
    "            ;;\n"
    "        esac\n"
    "    done\n";

static const char bash_tail[] =
    "    [[ $words ]] && while read -r i; do\n"
    "        COMPREPLY+=(\"$i\")\n"
    "    done < <(compgen -W \"$words\" -- \"$cur\")\n"
    "    [[ $masks ]] && while read -r i _; do\n"
    "        [[ $i == \"$cur\"* ]] && COMPREPLY+=(\"$i\")\n"
    "    done < <(\"$1\" list masks 2>/dev/null)\n"
    "    [[ $files ]] && while IFS= read -r i; do\n"
    "        COMPREPLY+=(\"$i\")\n"
    "    done < <(compgen -f -- \"$cur\")\n"
    "    [[ $files ]] && compopt -o filenames 2>/dev/null\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _stencilcli stencilcli\n";

/* What may stand in a place, as assignments to the function's variables. */
static void bash_place(FILE *out, enum complete complete, word_function *words)
{
    bool masks = complete == COMPLETE_MASK, files = masks || complete == COMPLETE_FILE;
    fputs("words='", out);
    if (complete == COMPLETE_WORDS)
        put_words(out, words, " ");
    fprintf(out, "' masks='%s' files='%s'", masks ? "yes" : "", files ? "yes" : "");
}

static void bash_commands(FILE *out)
{
    fputs("    case $command in\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("    ", out);
        put_names(out, command, " | ");
        fputs(")\n        options='", out);
        put_options(out, FOR(i), false);
        fputs("'\n        ", out);
        bash_place(out, command->complete, command->words);
        fputs("\n        ;;\n", out);
    }
    fputs("    *)\n        options='", out);
    put_options(out, FOR_ALL_COMMANDS, false);
    fputs("'\n        words='", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fputs(i ? " " : "", out);
        put_names(out, &command_table()[i], " ");
    }
    fputs("'\n        ;;\n    esac\n"
          "    [[ $cur == -* ]] && words=$options masks='' files=''\n",
          out);
}

static void bash_values(FILE *out)
{
    fputs("    case $prev in\n", out);
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, FOR_ALL_COMMANDS));) {
        if (!spec->argument)
            continue;
        fputs("    ", out);
        put_option(out, spec, " | ");
        fputs(") ", out);
        bash_place(out, spec->complete, spec->words);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n", out);
}

static void print_bash(FILE *out)
{
    fputs(bash_head, out);
    fputs("    local valued='", out);
    put_options(out, FOR_ALL_COMMANDS, true);
    fputs(" '\n", out);
    fputs(bash_scan, out);
    bash_commands(out);
    bash_values(out);
    fputs(bash_tail, out);
}

/* ---- zsh ----
 *
 * The command typed so far chooses a list of _arguments specifications, which carry the options'
 * docs and values. The script can be a file in fpath or be evaluated. */

static const char zsh_head[] =
    "#compdef stencilcli\n"
    "# zsh completion for stencilcli, made by: stencilcli --completion zsh\n"
    "_stencilcli_masks() {\n"
    "  local -a mask_names\n"
    "  mask_names=(${(f)\"$(_call_program masks stencilcli list masks 2>/dev/null)\"})\n"
    "  mask_names=(${mask_names%% *})\n"
    "  _alternative 'masks:mask:compadd -a mask_names' 'files:mask file:_files'\n"
    "}\n"
    "_stencilcli_first() {\n"
    "  _describe -t filters filter filter_docs\n"
    "  _describe -t commands command command_docs\n"
    "}\n"
    "_stencilcli() {\n"
    "  local -a filter_docs command_docs specs\n"
    "  local command= word skip=\n";

static const char zsh_scan[] =
    "  # The command is the first word that is no option and no option's value.\n"
    "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
    "    if [[ -n $skip ]]; then\n"
    "      skip=\n"
    "    elif [[ $word == -?* ]]; then\n"
    "      [[ $valued == *\" $word \"* ]] && skip=yes\n"
    "    else\n"
    "      command=$word\n"
    "      break\n"
    "    fi\n"
    "  done\n";

static const char zsh_tail[] = "}\n"
                               "if [[ $funcstack[1] == _stencilcli ]]; then\n"
                               "  _stencilcli \"$@\"\n"
                               "else\n"
                               "  compdef _stencilcli stencilcli\n"
                               "fi\n";

/* Inside single quotes a quote ends them, stands escaped, and opens them again. */
static void zsh_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        char one[2] = {*text, '\0'};
        if (*text == '\'')
            fputs("'\\''", out);
        else
            put_escaped(out, one, special);
    }
}

static void zsh_place(FILE *out, enum complete complete, word_function *words)
{
    if (complete == COMPLETE_FILE)
        fputs("_files", out);
    else if (complete == COMPLETE_MASK)
        fputs("_stencilcli_masks", out);
    else if (complete == COMPLETE_WORDS) {
        fputc('(', out);
        for (int i = 0; words(i); i++) {
            fputs(i ? " " : "", out);
            put_escaped(out, words(i), ":");
        }
        fputc(')', out);
    }
}

static void zsh_option(FILE *out, const struct option_spec *spec)
{
    bool both = spec->letter && spec->name;
    fputs("      ", out);
    if (both)
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", spec->letter, spec->name, spec->letter,
                spec->argument ? "+" : "", spec->name, spec->argument ? "=" : "");
    else if (spec->name)
        fprintf(out, "'--%s%s", spec->name, spec->argument ? "=" : "");
    else
        fprintf(out, "'-%c%s", spec->letter, spec->argument ? "+" : "");
    fputc('[', out);
    zsh_quoted(out, spec->doc, "[]\\");
    fputc(']', out);
    if (spec->argument) {
        fprintf(out, ":%s:", spec->argument);
        zsh_place(out, spec->complete, spec->words);
    }
    fputs("'\n", out);
}

/* One arm of the case: the options of COMMANDS, then the operands. */
static void zsh_specs(FILE *out, unsigned commands)
{
    fputs("    specs=(\n", out);
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));)
        zsh_option(out, spec);
    fputs("    )\n    _arguments -s -S $specs ", out);
}

/* The names of commands FIRST to LAST with their docs. */
static void zsh_docs(FILE *out, const char *list, int first, int last)
{
    const char *name;
    fprintf(out, "  %s=(\n", list);
    for (int i = first; i <= last; i++) {
        const struct command_spec *command = &command_table()[i];
        for (int j = 0; (name = command_name(command, j)); j++) {
            fprintf(out, "    '%s:", name);
            zsh_quoted(out, command_doc(command, j), "");
            fputs("'\n", out);
        }
    }
    fputs("  )\n", out);
}

static void print_zsh(FILE *out)
{
    fputs(zsh_head, out);
    fputs("  local valued='", out);
    put_options(out, FOR_ALL_COMMANDS, true);
    fputs(" '\n", out);
    zsh_docs(out, "filter_docs", COMMAND_FILTER, COMMAND_FILTER);
    zsh_docs(out, "command_docs", COMMAND_FILTER + 1, COMMAND_COUNT - 1);
    fputs(zsh_scan, out);
    fputs("  case $command in\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("  (", out);
        put_names(out, command, "|");
        fputs(")\n", out);
        zsh_specs(out, FOR(i));
        fputs("'1: :' '*: :", out);
        zsh_place(out, command->complete, command->words);
        fputs("'\n    ;;\n", out);
    }
    fputs("  (*)\n", out);
    zsh_specs(out, FOR_ALL_COMMANDS);
    fputs("'1: :_stencilcli_first'\n    ;;\n  esac\n", out);
    fputs(zsh_tail, out);
}

/* ---- fish ----
 *
 * One `complete` line for each command and option; its condition asks for the command typed so
 * far. */

static const char fish_functions[] =
    "# fish completion for stencilcli, made by: stencilcli --completion fish\n"
    "# The command typed so far: the first word that is no option and no option's value.\n"
    "function __stencilcli_command\n"
    "    set -l skip no\n"
    "    set -l tokens (commandline -opc)\n"
    "    for token in $tokens[2..-1]\n"
    "        if test $skip = yes\n"
    "            set skip no\n"
    "        else if contains -- $token $__stencilcli_valued\n"
    "            set skip yes\n"
    "        else if not string match -q -- '-?*' $token\n"
    "            echo $token\n"
    "            return 0\n"
    "        end\n"
    "    end\n"
    "    return 1\n"
    "end\n"
    "function __stencilcli_is\n"
    "    set -l command (__stencilcli_command)\n"
    "    and contains -- $command $argv\n"
    "end\n"
    "function __stencilcli_takes\n"
    "    set -l command (__stencilcli_command)\n"
    "    or return 0\n"
    "    contains -- $command $argv\n"
    "end\n"
    "function __stencilcli_masks\n"
    "    stencilcli list masks 2>/dev/null | string replace -r ' +' \\t\n"
    "end\n";

static void fish_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    put_escaped(out, text, "\\'");
    fputc('\'', out);
}

/* -f: no files, -F: files; -a: what else. */
static void fish_place(FILE *out, enum complete complete, word_function *words)
{
    fputs(complete == COMPLETE_FILE || complete == COMPLETE_MASK ? " -F" : " -f", out);
    if (complete == COMPLETE_MASK)
        fputs(" -a '(__stencilcli_masks)'", out);
    if (complete == COMPLETE_WORDS) {
        fputs(" -a '", out);
        put_words(out, words, " ");
        fputc('\'', out);
    }
}

static void fish_option(FILE *out, const struct option_spec *spec)
{
    fputs("complete -c stencilcli -n '__stencilcli_takes", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (spec->commands & FOR(i)) {
            fputc(' ', out);
            put_names(out, &command_table()[i], " ");
        }
    }
    fputc('\'', out);
    if (spec->letter)
        fprintf(out, " -s %c", spec->letter);
    if (spec->name)
        fprintf(out, " -l %s", spec->name);
    if (spec->argument) {
        fputs(" -r", out);
        fish_place(out, spec->complete, spec->words);
    }
    fputs(" -d ", out);
    fish_quoted(out, spec->doc);
    fputc('\n', out);
}

static void print_fish(FILE *out)
{
    const char *name;
    fputs(fish_functions, out);
    fputs("set -g __stencilcli_valued", out);
    put_options(out, FOR_ALL_COMMANDS, true);
    fputc('\n', out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        for (int j = 0; (name = command_name(command, j)); j++) {
            fprintf(out, "complete -c stencilcli -n 'not __stencilcli_command' -f -a %s -d ", name);
            fish_quoted(out, command_doc(command, j));
            fputc('\n', out);
        }
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("complete -c stencilcli -n '__stencilcli_is ", out);
        put_names(out, command, " ");
        fputc('\'', out);
        fish_place(out, command->complete, command->words);
        fputc('\n', out);
    }
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, FOR_ALL_COMMANDS));)
        fish_option(out, spec);
}

/* ---- all ---- */

bool options_print_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        print_fish(out);
    else
        return false;
    return true;
}
