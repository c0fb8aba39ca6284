/* Reads a golden suite, and records: writes new checksums and keeps pictures. The text is cut into
 * words in place; a second copy stays as it was, so that writing changes checksums only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/codec.h"
#include "codec/input.h"
#include "codec/output.h"
#include "compare/golden.h"

#define TIMEOUT_S 120

/* The settings for the cases in the lines below. */
struct state {
    struct golden_suite *suite;
    int line;
    const char *inputs;
    int timeout_s;
    bool strict, keep;
};

static bool wrong(const struct state *state, struct error *err, const char *what, const char *word)
{
    return error_set(err, EXIT_USAGE, "%s:%d: %s, got '%.80s'", state->suite->path, state->line,
                     what, word);
}

/* The next word of *AT, cut off; in quotes it may hold blanks. NULL at the end. */
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

/* Moves the words to the beginning of LINE, each with a zero byte, and another one at the end. They
 * fit because the word `inputs` goes. */
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
    state->inputs = line;
    return true;
}

static bool take_timeout(struct state *state, char *rest, struct error *err)
{
    char *word = next_word(&rest), *end = word;
    long seconds = word ? strtol(word, &end, 10) : 0;

    if (!word || *end || seconds < 1 || seconds > 86400)
        return wrong(state, err, "expected a number of seconds", word ? word : "");
    state->timeout_s = (int)seconds;
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

    *one = (struct golden_case){.line = state->line,
                                .checksum = checksum,
                                .sum_at = (size_t)(checksum - suite->words),
                                .inputs = state->inputs,
                                .timeout_s = state->timeout_s,
                                .strict = state->strict,
                                .keep = state->keep,
                                .limits = COMPARE_EXACT};
    if (!is_checksum(one->checksum))
        return wrong(state, err,
                     "expected a checksum (0: not recorded yet), inputs, timeout, strict or keep",
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
        char what[128];
        snprintf(what, sizeof what, "%s: expected %s", name, expected);
        if (expected)
            return wrong(state, err, what, value ? value : "");
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
        return state->strict = true;
    if (*rest == '\0' && strcmp(word, "keep") == 0)
        return state->keep = true;
    return take_case(state, word, rest, err);
}

/* ---- the file ---- */

static bool parse(struct golden_suite *suite, struct error *err)
{
    struct state state = {.suite = suite, .inputs = "", .timeout_s = TIMEOUT_S};
    size_t lines = 1;

    for (const char *c = suite->text; *c; c++)
        lines += *c == '\n';
    suite->words = strdup(suite->text);
    suite->cases = calloc(lines, sizeof *suite->cases);
    if (!suite->words || !suite->cases)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", suite->path);
    for (char *line = suite->words, *next; line; line = next) {
        state.line++;
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
    const char *slash;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        if (asprintf(&suite->path, "%s/golden.txt", path) < 0)
            suite->path = NULL;
    } else {
        suite->path = strdup(path);
    }
    slash = suite->path ? strrchr(suite->path, '/') : NULL;
    if (suite->path)
        suite->folder =
            slash ? strndup(suite->path, (size_t)(slash - suite->path) + 1) : strdup("./");
    return suite->folder || error_set(err, EXIT_INPUT, "%s: no memory to read it", path);
}

static bool read_text(struct golden_suite *suite, struct error *err)
{
    struct input *input = NULL;
    const uint8_t *bytes;
    bool good =
        input_open(&input, suite->path, err) && input_read_all(input, &bytes, &suite->bytes, err);

    if (good && memchr(bytes, '\0', suite->bytes))
        good = error_set(err, EXIT_USAGE, "%s: no text: it holds zero bytes", suite->path);
    if (good && !(suite->text = strndup((const char *)bytes, suite->bytes)))
        good = error_set(err, EXIT_INPUT, "%s: no memory to read it", suite->path);
    input_close(input);
    return good;
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
    free(suite->text);
    free(suite->path);
    free(suite->folder);
}

char *golden_expected_path(const struct golden_suite *suite, const struct golden_case *one,
                           const char *checksum)
{
    enum format format = format_of_path(one->file);
    const char *dot = strrchr(one->file, '.');
    char *path;

    if (asprintf(&path, "%sexpected/%s%s", suite->folder, checksum,
                 format == FORMAT_NONE ? "" : dot) < 0)
        return NULL;
    return path;
}

/* ---- record ---- */

/* Writes the suite again with these checksums, one for each case; nothing else changes. */
static bool write_suite(const struct golden_suite *suite, const char *const *checksums,
                        struct error *err)
{
    struct output *output;
    size_t at = 0;
    bool good = true;

    if (!output_open(&output, suite->path, err))
        return false;
    for (size_t i = 0; good && i < suite->count; i++) {
        const struct golden_case *one = &suite->cases[i];
        good = output_write(output, suite->text + at, one->sum_at - at, err) &&
               output_write(output, checksums[i], strlen(checksums[i]), err);
        at = one->sum_at + strlen(one->checksum);
    }
    good = good && output_write(output, suite->text + at, suite->bytes - at, err);
    return output_end(output, good, err);
}

static bool wants_picture(const struct golden_case *one)
{
    return strcmp(one->file, "-") != 0 && (one->reason || one->keep);
}

/* Whether PATH has this checksum: recording twice changes no file. */
static bool is_kept(const char *path, const char *checksum)
{
    char text[PICTURE_CHECKSUM_CHARS + 1];
    struct error ignored;

    return access(path, F_OK) == 0 && picture_checksum(path, text, &ignored) &&
           strcmp(text, checksum) == 0;
}

static bool keep_picture(const struct golden_suite *suite, const struct golden_case *one,
                         const struct golden_result *result, struct error *err)
{
    char *to = golden_expected_path(suite, one, result->checksum);
    bool good = to || error_set(err, EXIT_INPUT, "%s: no memory to record it", suite->path);

    if (good && !is_kept(to, result->checksum))
        good = golden_copy(result->path, to, err);
    free(to);
    return good;
}

/* Removes the picture of a checksum that no case has any more. */
static void remove_stale(const struct golden_job *job, size_t index)
{
    const struct golden_case *one = &job->suite->cases[index];
    for (size_t i = 0; i < job->suite->count; i++) {
        if (strcmp(job->result[i].checksum, one->checksum) == 0)
            return;
    }
    char *path = golden_expected_path(job->suite, one, one->checksum);
    if (path && strlen(one->checksum) == PICTURE_CHECKSUM_CHARS)
        unlink(path);
    free(path);
}

bool golden_record(struct golden_job *job, struct error *err)
{
    const struct golden_suite *suite = job->suite;
    char *folder;
    bool good = true;

    for (size_t i = 0; i < suite->count; i++) {
        if (job->result[i].state == GOLDEN_FAILED)
            return true;
    }
    const char **checksums = calloc(suite->count, sizeof *checksums);
    if (!checksums || asprintf(&folder, "%sexpected", suite->folder) < 0) {
        free(checksums);
        return error_set(err, EXIT_INPUT, "%s: no memory to record it", suite->path);
    }
    for (size_t i = 0; good && i < suite->count; i++) {
        checksums[i] = job->result[i].checksum;
        if (!wants_picture(&suite->cases[i]))
            continue;
        mkdir(folder, 0777); /* if it fails, so does keeping a picture */
        good = keep_picture(suite, &suite->cases[i], &job->result[i], err);
    }
    good = good && write_suite(suite, checksums, err);
    for (size_t i = 0; good && i < suite->count; i++)
        remove_stale(job, i);
    free(folder);
    free(checksums);
    return good;
}
