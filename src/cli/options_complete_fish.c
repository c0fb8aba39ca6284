/* The completion script for fish: one `complete` line per command and option; the
 * conditions ask for the command typed so far. */
#include "cli/options_complete.h"

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
    complete_put_escaped(out, text, "\\'");
    fputc('\'', out);
}

/* -f: no files, -F: files; -a: what else. */
static void fish_place(FILE *out, enum complete complete, word_function words)
{
    fputs(complete == COMPLETE_FILE || complete == COMPLETE_MASK ? " -F" : " -f", out);
    if (complete == COMPLETE_MASK)
        fputs(" -a '(__stencilcli_masks)'", out);
    if (complete == COMPLETE_WORDS) {
        fputs(" -a '", out);
        complete_put_words(out, words, " ");
        fputc('\'', out);
    }
}

static void fish_name(FILE *out, const char *name, const char *doc)
{
    fprintf(out, "complete -c stencilcli -n 'not __stencilcli_command' -f -a %s -d ", name);
    fish_quoted(out, doc);
    fputc('\n', out);
}

static void fish_option(FILE *out, const struct option_spec *spec)
{
    fputs("complete -c stencilcli -n '__stencilcli_takes", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (spec->commands & FOR(i)) {
            fputc(' ', out);
            complete_put_names(out, &command_table()[i], " ");
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

void complete_print_fish(FILE *out)
{
    int count;
    const struct filter *filters = filter_table(&count);
    fputs(fish_functions, out);
    fputs("set -g __stencilcli_valued", out);
    complete_put_options(out, FOR_ALL_COMMANDS, true);
    fputc('\n', out);
    for (int i = 0; i < count; i++)
        fish_name(out, filters[i].name, filters[i].idea);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        if (command->name)
            fish_name(out, command->name, command->doc);
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_spec *command = &command_table()[i];
        fputs("complete -c stencilcli -n '__stencilcli_is ", out);
        complete_put_names(out, command, " ");
        fputc('\'', out);
        fish_place(out, command->complete, command->words);
        fputc('\n', out);
    }
    const struct option_spec *table = option_table(&count);
    for (int i = 0; i < count; i++) {
        if (!table[i].hidden)
            fish_option(out, &table[i]);
    }
}
