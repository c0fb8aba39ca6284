/* Reads a golden suite. One copy of the text is cut into words in place; the original stays
 * unchanged for golden_record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "codec/codec.h"
#include "compare/golden.h"

#define TIMEOUT_S 120

/* So that a picture or an endless device in place of a suite is refused at once. */
#define SUITE_MAX_BYTES ((size_t)16 << 20)

struct state {
    struct golden_suite *suite;
    struct golden_case next; /* the current line, with the settings for the following lines */
};

static bool wrong(const struct state *state, struct error *err, const char *what, const char *word)
{
    return error_set(err, EXIT_USAGE, "%s:%d: %s, got '%.80s'", state->suite->path,
                     state->next.line, what, word);
}

/* Cuts off and returns the next word of *AT; in quotes it may contain blanks. NULL at the end. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    char quote = *word == '\'' || *word == '"' ? *word : '\0';

    if (*word == '\0')
        return NULL;
    if (quote)
        word++;
    char *end = quote ? strchr(word, quote) : word + strcspn(word, " \t");
    if (!end)
        end = word + strlen(word);
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* ---- lines ---- */

/* Moves the words to the beginning of LINE, each ended by a zero byte, and adds one more zero byte.
 * They fit because the word `inputs` is overwritten. */
static bool take_inputs(struct state *state, char *line, char *rest, struct error *err)
{
    char *to = line, *word;

    while ((word = next_word(&rest))) {
        size_t bytes = strlen(word) + 1;
        if (word[0] == '/' || strstr(word, ".."))
            return wrong(state, err, "expected names below the suite's folder", word);
        memmove(to, word, bytes);
        to += bytes;
    }
    *to = '\0';
    state->next.inputs = line;
    return true;
}

static bool take_timeout(struct state *state, char *rest, struct error *err)
{
    char *word = next_word(&rest), *end = word;
    long seconds = word ? strtol(word, &end, 10) : 0;

    if (!word || *end || seconds < 1 || seconds > 86400)
        return wrong(state, err, "expected a number of seconds", word ? word : "");
    state->next.timeout_s = (int)seconds;
    return true;
}

static bool is_checksum(const char *word)
{
    return strcmp(word, "0") == 0 || strcmp(word, "-") == 0 ||
           (strlen(word) == PICTURE_CHECKSUM_CHARS &&
            strspn(word, "0123456789abcdef") == strlen(word));
}

static bool take_case(struct state *state, char *checksum, char *rest, struct error *err)
{
    struct golden_suite *suite = state->suite;
    struct golden_case *one = &suite->cases[suite->count];

    *one = state->next;
    one->checksum = checksum;
    if (!is_checksum(one->checksum))
        return wrong(state, err,
                     "expected a checksum (0: not recorded yet), inputs, timeout, tolerance, or "
                     "strict or keep alone on its line",
                     one->checksum);
    one->file = next_word(&rest);
    if (!one->file)
        return wrong(state, err, "expected the name of a picture", "");
    rest += strspn(rest, " \t");
    one->command = *rest ? rest : NULL;
    if (!one->command && strcmp(one->file, "-") == 0)
        return wrong(state, err, "expected a command", "");
    if (strcmp(one->checksum, "-") == 0 && strcmp(one->file, "-") != 0)
        return wrong(state, err, "expected a checksum for a picture", "-");
    if (one->command && (one->file[0] == '/' || strstr(one->file, "..")))
        return wrong(state, err, "expected a file that the command writes in its folder",
                     one->file);
    suite->count++;
    return true;
}

/* `tolerance max-diff 1 min-ssim 0.99: the reason` */
static bool take_tolerance(struct state *state, char *rest, struct error *err)
{
    struct golden_suite *suite = state->suite;
    struct golden_case *one = suite->count ? &suite->cases[suite->count - 1] : NULL;
    char *reason = strchr(rest, ':'), *name;

    if (!one || one->reason || strcmp(one->file, "-") == 0)
        return wrong(state, err, "expected a tolerance below its picture, once", rest);
    if (!reason || reason[1 + strspn(reason + 1, " \t")] == '\0')
        return wrong(state, err, "expected limits, a colon and the reason for them", rest);
    *reason = '\0';
    one->reason = reason + 1 + strspn(reason + 1, " \t");
    while ((name = next_word(&rest))) {
        char *value = next_word(&rest);
        const char *expected = compare_limit_read(&one->limits, name, value ? value : "");
        if (expected) {
            char what[128];
            snprintf(what, sizeof what, "%s: expected %s", name, expected);
            return wrong(state, err, what, value ? value : "");
        }
    }
    return true;
}

static bool take_line(struct state *state, char *line, struct error *err)
{
    char *rest = line, *word;

    if (line[strspn(line, " \t")] == '#' || !(word = next_word(&rest)))
        return true;
    rest += strspn(rest, " \t");
    if (*line == ' ' || *line == '\t') {
        if (strcmp(word, "tolerance") != 0)
            return wrong(state, err, "expected `tolerance` in a line that is indented", word);
        return take_tolerance(state, rest, err);
    }
    if (strcmp(word, "inputs") == 0)
        return take_inputs(state, line, rest, err);
    if (strcmp(word, "timeout") == 0)
        return take_timeout(state, rest, err);
    if (*rest == '\0' && strcmp(word, "strict") == 0)
        return state->next.strict = true;
    if (*rest == '\0' && strcmp(word, "keep") == 0)
        return state->next.keep = true;
    return take_case(state, word, rest, err);
}

/* ---- the file ---- */

static bool parse(struct golden_suite *suite, struct error *err)
{
    struct state state = {suite, {.inputs = "", .timeout_s = TIMEOUT_S, .limits = COMPARE_EXACT}};
    size_t lines = 1;

    for (const char *c = suite->words; *c; c++)
        lines += *c == '\n';
    suite->cases = calloc(lines, sizeof *suite->cases);
    if (!suite->cases)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", suite->path);
    for (char *line = suite->words, *next; line; line = next) {
        state.next.line++;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!take_line(&state, line, err))
            return false;
    }
    return suite->count > 0 ||
           error_set(err, EXIT_USAGE, "%s: there is no case in this suite", suite->path);
}

static bool find(struct golden_suite *suite, const char *path, struct error *err)
{
    struct stat status;
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    int length = snprintf(suite->path, PATH_MAX, "%s%s", path, is_folder ? "/golden.txt" : "");
    const char *slash = strrchr(suite->path, '/');

    if (length >= PATH_MAX)
        return error_set(err, EXIT_INPUT, "%s: too long a path", path);
    snprintf(suite->folder, PATH_MAX, "%.*s/", slash ? (int)(slash - suite->path) : 1,
             slash ? suite->path : ".");
    return true;
}

static bool read_text(struct golden_suite *suite, struct error *err)
{
    if (!input_open(&suite->input, suite->path, err) ||
        !input_read_most(suite->input, SUITE_MAX_BYTES + 1, &suite->text, &suite->bytes, err))
        return false;
    if (suite->bytes > SUITE_MAX_BYTES)
        return error_set(err, EXIT_USAGE, "%s: too large for a suite: more than 16 MiB",
                         suite->path);
    if (memchr(suite->text, '\0', suite->bytes))
        return error_set(err, EXIT_USAGE, "%s: no text: it holds zero bytes", suite->path);
    suite->words = strndup((const char *)suite->text, suite->bytes);
    return suite->words || error_set(err, EXIT_INPUT, "%s: no memory to read it", suite->path);
}

bool golden_suite_read(struct golden_suite *suite, const char *path, struct error *err)
{
    memset(suite, 0, sizeof *suite);
    return find(suite, path, err) && read_text(suite, err) && parse(suite, err);
}

void golden_suite_free(struct golden_suite *suite)
{
    free(suite->cases);
    free(suite->words);
    input_close(suite->input);
}

void golden_expected_path(const struct golden_suite *suite, const struct golden_case *one,
                          const char *checksum, char path[GOLDEN_PATH])
{
    const char *dot = format_of_path(one->file) == FORMAT_NONE ? "" : strrchr(one->file, '.');
    snprintf(path, GOLDEN_PATH, "%sexpected/%s%s", suite->folder, checksum, dot);
}
