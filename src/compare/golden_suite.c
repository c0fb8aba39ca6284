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
    char **inputs;
    int timeout_s;
    bool strict, keep;
};

static bool wrong(const struct state *state, struct error *err, const char *what, const char *word)
{
    return error_set(err, EXIT_USAGE, "%s:%d: %s, got '%.80s'", state->suite->path, state->line,
                     what, word);
}

static bool no_memory(const struct state *state, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: no memory to read it", state->suite->path);
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

static bool take_inputs(struct state *state, char *rest, struct error *err)
{
    struct golden_suite *suite = state->suite;
    size_t count = 0, room = strlen(rest) / 2 + 2;
    char **list = calloc(room, sizeof *list), *word;
    char ***lists = realloc(suite->inputs, (suite->input_lists + 1) * sizeof *lists);

    if (lists)
        suite->inputs = lists;
    if (!list || !lists) {
        free(list);
        return no_memory(state, err);
    }
    suite->inputs[suite->input_lists++] = list;
    while ((word = next_word(&rest))) {
        if (word[0] == '/' || strstr(word, ".."))
            return wrong(state, err, "expected names below the suite's folder", word);
        list[count++] = word;
    }
    state->inputs = list;
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

static bool take_case(struct state *state, char *line, struct error *err)
{
    struct golden_suite *suite = state->suite;
    struct golden_case *one = &suite->cases[suite->count];
    char *rest = line;

    *one = (struct golden_case){.line = state->line,
                                .inputs = state->inputs,
                                .timeout_s = state->timeout_s,
                                .strict = state->strict,
                                .keep = state->keep,
                                .limits = COMPARE_EXACT};
    one->checksum = next_word(&rest);
    one->sum_at = (size_t)(one->checksum - suite->words);
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

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool take_line(struct state *state, char *line, struct error *err)
{
    char *word = line + strspn(line, " \t"), *rest = word + strcspn(word, " \t");
    size_t length = (size_t)(rest - word);

    if (*word == '\0' || *word == '#')
        return true;
    if (word > line) {
        if (!is_word(word, length, "tolerance"))
            return wrong(state, err, "expected `tolerance` in a line that is indented", word);
        return take_tolerance(state, rest + strspn(rest, " \t"), err);
    }
    if (is_word(word, length, "inputs"))
        return take_inputs(state, rest, err);
    if (is_word(word, length, "timeout"))
        return take_timeout(state, rest, err);
    bool alone = rest[strspn(rest, " \t")] == '\0';
    if (alone && is_word(word, length, "strict"))
        return state->strict = true;
    if (alone && is_word(word, length, "keep"))
        return state->keep = true;
    return take_case(state, word, err);
}

/* ---- the file ---- */

static bool parse(struct golden_suite *suite, struct error *err)
{
    struct state state = {.suite = suite, .timeout_s = TIMEOUT_S};
    size_t lines = 1;

    for (const char *c = suite->text; *c; c++)
        lines += *c == '\n';
    suite->words = strdup(suite->text);
    suite->cases = calloc(lines, sizeof *suite->cases);
    if (!suite->words || !suite->cases)
        return no_memory(&state, err);
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
    for (size_t i = 0; i < suite->input_lists; i++)
        free(suite->inputs[i]);
    free(suite->inputs);
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
