/* Shell completion. The scripts for bash, zsh and fish (--completion SHELL) know no options: they
 * pass the words of the line to `stencilcli --complete WORD...`, which prints the possible
 * completions of the last word, made from the tables. There is one answer a line: the word, a tab,
 * and its meaning; the line ":files" asks the shell for file names. Names of masks are data: no
 * script evaluates them. */
#include "cli/option_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- the answers ---- */

struct answer {
    FILE *out;
    const char *typed;  /* answers must begin with this ... */
    const char *before; /* ... after this prefix, "--border=" or empty, which each answer gets */
    int before_length;
    enum command_id command; /* COMMAND_COUNT: none yet */
};

/* Prints MEANING up to the end of its line. */
static void put(const struct answer *answer, const char *word, const char *meaning)
{
    if (strncmp(word, answer->typed, strlen(answer->typed)) != 0)
        return;
    char *phrase = strndup(meaning, strcspn(meaning, "\n"));
    fprintf(answer->out, "%.*s", answer->before_length, answer->before);
    clean_text_put(answer->out, word);
    fputc('\t', answer->out);
    clean_text_put(answer->out, phrase ? phrase : "");
    fputc('\n', answer->out);
    free(phrase);
}

static void put_mask(const char *name, const char *path, void *context)
{
    struct mask mask;
    struct error err;
    const struct answer *answer = context;
    bool good = mask_load(&mask, path, &err);
    bool fits =
        answer->command != COMMAND_SIGNAL || (good && (mask.width == 1 || mask.height == 1));
    if (fits)
        put(answer, name, good && mask.title ? mask.title : "");
    if (good)
        mask_free(&mask);
}

static void put_place(struct answer *answer, enum complete complete, word_function *words)
{
    for (int i = 0; words && words(i); i++)
        put(answer, words(i), "");
    if (complete == COMPLETE_MASK)
        mask_list(put_mask, answer);
    if (complete == COMPLETE_MASK || complete == COMPLETE_FILE)
        fputs(":files\n", answer->out);
}

/* The operands of COMMAND, OPERANDS of which stand on the line. */
static void put_operand(struct answer *answer, const char *command, int operands)
{
    const struct command_spec *spec = &command_table[command_find(command)];
    if (operands == 0 && spec->words)
        put_place(answer, COMPLETE_NOTHING, spec->words);
    else if (operands < spec->max_operands)
        put_place(answer, spec->complete, NULL);
}

/* Prints the options of COMMAND with the operand FIRST; of all commands if COMMAND is NULL. */
static void put_options(const struct answer *answer, const char *command, const char *first)
{
    const struct filter *filter = command ? filter_find(command) : NULL;
    unsigned commands = command ? FOR(answer->command) : FOR_ALL_COMMANDS;
    bool records = answer->command == COMMAND_GOLDEN && first && strcmp(first, "record") == 0;
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));) {
        char word[64];
        if ((filter && spec->name && !filter_takes(filter, spec->name)) ||
            (records && (spec->commands & CHECK_ONLY)))
            continue;
        snprintf(word, sizeof word, "-%c", spec->letter);
        if (spec->letter)
            put(answer, word, spec->doc);
        snprintf(word, sizeof word, "--%s", spec->name ? spec->name : "");
        if (spec->name)
            put(answer, word, spec->doc);
    }
}

/* ---- reading the line ---- */

/* The option whose value is the word after WORD, or NULL. */
static const struct option_spec *option_before_value(const char *word)
{
    const struct option_spec *spec = NULL;
    if (word[1] == '-')
        spec = option_find(0, word + 2, strlen(word + 2));
    else if (word[2] == '\0')
        spec = option_find(word[1], NULL, 0);
    return spec && spec->argument ? spec : NULL;
}

void options_complete(FILE *out, int count, char **words)
{
    const char *last = count > 0 ? words[count - 1] : "", *command = NULL, *first = NULL, *known;
    const struct option_spec *valued = NULL;
    struct answer answer = {.out = out, .typed = last, .before = last, .command = COMMAND_COUNT};
    size_t name = strcspn(last, "=");
    int operands = 0;

    /* The command is the first word that is neither an option nor an option's value. */
    for (int i = 0; i < count - 1; i++) {
        if (valued) {
            valued = NULL;
        } else if (words[i][0] == '-' && words[i][1] != '\0') {
            valued = option_before_value(words[i]);
        } else if (!command) {
            answer.command = command_find(words[i]);
            command = answer.command < COMMAND_COUNT ? words[i] : NULL;
        } else if (operands++ == 0) {
            first = words[i];
        }
    }
    if (!valued && strncmp(last, "--", 2) == 0 && last[name] == '=') {
        valued = option_find(0, last + 2, name - 2);
        answer.before_length = (int)name + 1;
        answer.typed = last + name + 1;
        if (!valued)
            return;
    }
    if (valued) {
        put_place(&answer, valued->complete, option_words(valued, answer.command));
    } else if (*last == '-') {
        put_options(&answer, command, first);
    } else if (command) {
        put_operand(&answer, command, operands);
    } else {
        for (int i = 0; (known = command_name(i)); i++)
            put(&answer, known, command_doc(known));
    }
}

/* ---- the scripts ---- */

/* bash makes separate words of an equals sign and of a colon. This script joins them again, and
 * removes each answer's part up to the last such sign, because bash replaces only the rest. */
static const char bash[] =
    "# bash completion for stencilcli, made by: stencilcli --completion bash\n"
    "_stencilcli() {\n"
    "    local i word line before='' words=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i > 1)) && [[ $word == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]]; then\n"
    "            words[${#words[@]} - 1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    word=${words[${#words[@]} - 1]}\n"
    "    [[ $word == *[=:]* ]] && before=${word%\"${word##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [[ $line != :files ]]; then\n"
    "            line=${line%%$'\\t'*}\n"
    "            COMPREPLY+=(\"${line#\"$before\"}\")\n"
    "        elif [[ $before != *: ]]; then\n"
    "            while IFS= read -r line; do\n"
    "                COMPREPLY+=(\"$line\")\n"
    "            done < <(compgen -f -- \"${word#\"$before\"}\")\n"
    "            compopt -o filenames 2>/dev/null\n"
    "        fi\n"
    "    done < <(\"$1\" --complete \"${words[@]}\" 2>/dev/null)\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _stencilcli stencilcli\n";

static const char zsh[] =
    "#compdef stencilcli\n"
    "# zsh completion for stencilcli, made by: stencilcli --completion zsh\n"
    "_stencilcli() {\n"
    "  local line files=\n"
    "  local -a found\n"
    "  for line in \"${(@f)$(\"${(Q)words[1]}\" --complete \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "    if [[ $line == :files ]]; then\n"
    "      files=yes\n"
    "    elif [[ -n $line ]]; then\n"
    "      [[ $PREFIX == --*=* ]] && line=${line#*=}\n"
    "      found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    fi\n"
    "  done\n"
    "  [[ $PREFIX == --*=* ]] && compset -P '*='\n"
    "  (( $#found )) && _describe -t words word found\n"
    "  [[ -n $files ]] && _files\n"
    "}\n"
    "if [[ $funcstack[1] == _stencilcli ]]; then\n"
    "  _stencilcli \"$@\"\n"
    "else\n"
    "  compdef _stencilcli stencilcli\n"
    "fi\n";

static const char fish[] =
    "# fish completion for stencilcli, made by: stencilcli --completion fish\n"
    "function __stencilcli_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l token (commandline -ct)\n"
    "    set -l option (string match -r -- '^--[^=]*=' \"$token\")\n"
    "    for line in (stencilcli --complete $words[2..-1] \"$token\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            for path in (__fish_complete_path (string replace -- \"$option\" '' \"$token\"))\n"
    "                echo \"$option$path\"\n"
    "            end\n"
    "        else\n"
    "            echo \"$line\"\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c stencilcli -f -a '(__stencilcli_complete)'\n";

bool options_print_completion(FILE *out, const char *shell)
{
    static const char *const scripts[] = {bash, zsh, fish}; /* in the order of shell_word */
    int index = word_find(shell, shell_word);
    if (index >= 0)
        fputs(scripts[index], out);
    return index >= 0;
}
