/* The completion script for bash: one function, which finds the command typed so
 * far, sets what may stand in the place (words, masks, files), and answers with
 * what begins like the word under the cursor. Works without the bash-completion
 * package. */
#include "cli/options_complete.h"

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
static void bash_place(FILE *out, enum complete complete, word_function words)
{
    bool masks = complete == COMPLETE_MASK, files = masks || complete == COMPLETE_FILE;
    fputs("words='", out);
    if (complete == COMPLETE_WORDS)
        complete_put_words(out, words, " ");
    fprintf(out, "' masks='%s' files='%s'", masks ? "yes" : "", files ? "yes" : "");
}

static void bash_commands(FILE *out)
{
    fputs("    case $command in\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("    ", out);
        complete_put_names(out, command, " | ");
        fputs(")\n        options='", out);
        complete_put_options(out, FOR(command->id), false);
        fputs("'\n        ", out);
        bash_place(out, command->complete, command->words);
        fputs("\n        ;;\n", out);
    }
    fputs("    *)\n        options='", out);
    complete_put_options(out, FOR_ALL_COMMANDS, false);
    fputs("'\n        words='", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fputs(i ? " " : "", out);
        complete_put_names(out, &command_table()[i], " ");
    }
    fputs("'\n        ;;\n    esac\n"
          "    [[ $cur == -* ]] && words=$options masks='' files=''\n",
          out);
}

static void bash_values(FILE *out)
{
    int count;
    const struct option_spec *table = option_table(&count);
    fputs("    case $prev in\n", out);
    for (int i = 0; i < count; i++) {
        if (table[i].hidden || !table[i].argument)
            continue;
        fputs("    ", out);
        complete_put_option(out, &table[i], " | ");
        fputs(") ", out);
        bash_place(out, table[i].complete, table[i].words);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n", out);
}

void complete_print_bash(FILE *out)
{
    fputs(bash_head, out);
    fputs("    local valued='", out);
    complete_put_options(out, FOR_ALL_COMMANDS, true);
    fputs(" '\n", out);
    fputs(bash_scan, out);
    bash_commands(out);
    bash_values(out);
    fputs(bash_tail, out);
}
