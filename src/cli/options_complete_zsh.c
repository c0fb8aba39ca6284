/* The completion script for zsh: the command typed so far chooses a list of
 * _arguments specifications, which carry the options' docs and values. The script
 * can be a file in fpath or be evaluated. */
#include "cli/options_complete.h"

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
            complete_put_escaped(out, one, special);
    }
}

static void zsh_place(FILE *out, enum complete complete, word_function words)
{
    if (complete == COMPLETE_FILE)
        fputs("_files", out);
    else if (complete == COMPLETE_MASK)
        fputs("_stencilcli_masks", out);
    else if (complete == COMPLETE_WORDS) {
        fputc('(', out);
        for (int i = 0; words(i); i++) {
            fputs(i ? " " : "", out);
            complete_put_escaped(out, words(i), ":");
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
    int count;
    const struct option_spec *table = option_table(&count);
    fputs("    specs=(\n", out);
    for (int i = 0; i < count; i++) {
        if (!table[i].hidden && (table[i].commands & commands))
            zsh_option(out, &table[i]);
    }
    fputs("    )\n    _arguments -s -S $specs ", out);
}

static void zsh_docs(FILE *out)
{
    int count;
    const struct filter *filters = filter_table(&count);
    fputs("  filter_docs=(\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "    '%s:", filters[i].name);
        zsh_quoted(out, filters[i].idea, "");
        fputs("'\n", out);
    }
    fputs("  )\n  command_docs=(\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        if (command->name)
            fprintf(out, "    '%s:%s'\n", command->name, command->doc);
    }
    fputs("  )\n", out);
}

void complete_print_zsh(FILE *out)
{
    fputs(zsh_head, out);
    fputs("  local valued='", out);
    complete_put_options(out, FOR_ALL_COMMANDS, true);
    fputs(" '\n", out);
    zsh_docs(out);
    fputs(zsh_scan, out);
    fputs("  case $command in\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("  (", out);
        complete_put_names(out, command, "|");
        fputs(")\n", out);
        zsh_specs(out, FOR(command->id));
        fputs("'1: :' '*: :", out);
        zsh_place(out, command->complete, command->words);
        fputs("'\n    ;;\n", out);
    }
    fputs("  (*)\n", out);
    zsh_specs(out, FOR_ALL_COMMANDS);
    fputs("'1: :_stencilcli_first'\n    ;;\n  esac\n", out);
    fputs(zsh_tail, out);
}
