/* Shell completions, made from the tables: commands, the options that each can
 * use, the words that a value may be, file names, and the names of masks, which
 * the script asks `stencilcli list masks` for. The scripts need nothing but the
 * shell itself. Names of masks are data: no script evaluates them. This file
 * holds what the shells share; each shell has a file of its own. */
#include "cli/options_complete.h"

#include <string.h>

void complete_put_names(FILE *out, const struct command_spec *command, const char *between)
{
    const char *name;
    for (int i = 0; (name = command_name(command, i)); i++)
        fprintf(out, "%s%s", i ? between : "", name);
}

void complete_put_words(FILE *out, word_function words, const char *between)
{
    for (int i = 0; words(i); i++)
        fprintf(out, "%s%s", i ? between : "", words(i));
}

void complete_put_option(FILE *out, const struct option_spec *spec, const char *between)
{
    if (spec->letter)
        fprintf(out, "-%c", spec->letter);
    if (spec->letter && spec->name)
        fputs(between, out);
    if (spec->name)
        fprintf(out, "--%s", spec->name);
}

void complete_put_options(FILE *out, unsigned commands, bool valued)
{
    int count;
    const struct option_spec *table = option_table(&count);
    for (int i = 0; i < count; i++) {
        if (table[i].hidden || !(table[i].commands & commands) || (valued && !table[i].argument))
            continue;
        fputc(' ', out);
        complete_put_option(out, &table[i], " ");
    }
}

void complete_put_escaped(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

bool options_print_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        complete_print_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        complete_print_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        complete_print_fish(out);
    else
        return false;
    return true;
}
