/* The words of a student's file, without comments and directives, and the values of its constants:
 * see try/file.h. */
#include "try/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool try_token_is(const struct try_token *token, const char *word)
{
    return strlen(word) == (size_t)token->length && memcmp(token->at, word, strlen(word)) == 0;
}

int try_token_close(const struct try_file *file, int at)
{
    const char open = file->token[at].at[0];
    const char close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
    int depth = 0;

    for (int i = at; i < file->tokens; i++) {
        const struct try_token *token = &file->token[i];
        depth += token->length == 1 && token->at[0] == open;
        depth -= token->length == 1 && token->at[0] == close;
        if (depth == 0)
            return i;
    }
    return file->tokens;
}

/* ---- values ---- */

struct reader {
    const struct try_file *file;
    int at, to;
    bool good;
};

static long long read_sum(struct reader *reader);

static bool next_is(const struct reader *reader, const char *word)
{
    return reader->at < reader->to && try_token_is(&reader->file->token[reader->at], word);
}

static long long read_one(struct reader *reader)
{
    const struct try_token *token = &reader->file->token[reader->at];
    char name[TRY_NAME];
    long long value = -1;

    if (reader->at >= reader->to)
        return reader->good = false;
    reader->at++;
    if (try_token_is(token, "-"))
        return -read_one(reader);
    if (try_token_is(token, "(")) {
        value = read_sum(reader);
        reader->good = reader->good && next_is(reader, ")");
        reader->at++;
        return value;
    }
    if (isdigit((unsigned char)token->at[0]))
        return strtoll(token->at, NULL, 0);
    snprintf(name, sizeof name, "%.*s", token->length, token->at);
    value = try_file_constant(reader->file, name);
    reader->good = reader->good && value >= 0;
    return value;
}

static long long read_product(struct reader *reader)
{
    long long value = read_one(reader);

    while (reader->good && reader->at < reader->to) {
        const char sign = reader->file->token[reader->at].at[0];
        if (sign != '*' && sign != '/' && sign != '%')
            break;
        reader->at++;
        const long long other = read_one(reader);
        if (sign != '*' && other <= 0)
            return reader->good = false;
        value = sign == '*' ? value * other : sign == '/' ? value / other : value % other;
        if (value > 1LL << 30 || value < -(1LL << 30))
            return reader->good = false;
    }
    return value;
}

static long long read_sum(struct reader *reader)
{
    long long value = read_product(reader);

    while (reader->good && (next_is(reader, "+") || next_is(reader, "-"))) {
        const bool plus = next_is(reader, "+");
        reader->at++;
        const long long other = read_product(reader);
        value += plus ? other : -other;
    }
    return value;
}

bool try_value(const struct try_file *file, int from, int to, long long *value)
{
    struct reader reader = {file, from, to, from < to};

    if (reader.good)
        *value = read_sum(&reader);
    return reader.good && reader.at == to;
}

long long try_file_constant(const struct try_file *file, const char *name)
{
    for (int i = file->constants - 1; i >= 0; i--)
        if (strcmp(file->constant[i].name, name) == 0)
            return file->constant[i].value;
    return -1;
}

/* Keeps NAME if the tokens behind FROM are a number that is not negative. */
static void keep_constant(struct try_file *file, const struct try_token *name, int from, int to)
{
    long long value;

    if (file->constants == TRY_CONSTANTS || name->length >= TRY_NAME ||
        !try_value(file, from, to, &value) || value < 0)
        return;
    snprintf(file->constant[file->constants].name, TRY_NAME, "%.*s", name->length, name->at);
    file->constant[file->constants++].value = value;
}

/* `const int NAME = VALUE` and members of enums outside of functions. */
static void find_constants(struct try_file *file)
{
    int depth = 0;

    for (int i = 0; i + 2 < file->tokens; i++) {
        const struct try_token *token = &file->token[i];
        bool in_enum = false;
        int end = i + 2;

        depth += try_token_is(token, "{");
        depth -= try_token_is(token, "}");
        if (!isalpha((unsigned char)token->at[0]) || !try_token_is(token + 1, "="))
            continue;
        for (int j = i; j > 0 && !strchr(";}", file->token[j].at[0]); j--)
            in_enum = in_enum || try_token_is(&file->token[j], "enum");
        if (depth != 0 && !in_enum)
            continue;
        while (end < file->tokens && !strchr(";,}", file->token[end].at[0]))
            end++;
        keep_constant(file, token, i + 2, end);
    }
}

/* ---- words ---- */

/* The end of the comment or blank at AT; AT if there is none. */
static const char *skip_blank(const char *at)
{
    if (isspace((unsigned char)*at))
        return at + 1;
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return at;
}

static const char *token_end(const char *at)
{
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        return at;
    }
    if (isdigit((unsigned char)*at)) {
        while (isalnum((unsigned char)*at) || *at == '.' ||
               ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E')))
            at++;
        return at;
    }
    if (*at == '"' || *at == '\'') {
        const char quote = *at++;
        while (*at && *at != quote && *at != '\n')
            at += *at == '\\' && at[1] ? 2 : 1;
        return *at == quote ? at + 1 : at;
    }
    if (strncmp(at, "<<<", 3) == 0 || strncmp(at, ">>>", 3) == 0)
        return at + 3;
    return at + 1;
}

/* The end of a directive, whose lines may be continued. */
static const char *directive_end(const char *at)
{
    while (*at && *at != '\n') {
        const char *blank = *at == '/' ? skip_blank(at) : at;
        at = blank > at ? blank : at[0] == '\\' && at[1] == '\n' ? at + 2 : at + 1;
    }
    return at;
}

static bool is_define(const char *at)
{
    at++;
    at += strspn(at, " \t");
    return strncmp(at, "define", 6) == 0 && (at[6] == ' ' || at[6] == '\t');
}

static void add_token(struct try_file *file, const char *at, const char *end, int line)
{
    file->token[file->tokens++] = (struct try_token){at, (int)(end - at), line};
}

/* Adds the words between FROM and TO. */
static void add_tokens(struct try_file *file, const char *from, const char *to, int line)
{
    for (const char *at = from, *end; at < to; at = end) {
        end = skip_blank(at);
        if (end == at) {
            end = token_end(at);
            if (*at != '\\')
                add_token(file, at, end, line);
        }
        for (const char *c = at; c < end; c++)
            line += *c == '\n';
    }
}

/* `#define NAME VALUE`: its words are only needed for a moment. */
static void read_define(struct try_file *file, const char *at, const char *end)
{
    const int before = file->tokens;

    at = strstr(at, "define") + 6;
    add_tokens(file, at, end, 0);
    if (file->tokens > before + 1)
        keep_constant(file, &file->token[before], before + 1, file->tokens);
    file->tokens = before;
}

bool try_tokens_make(struct try_file *file, struct error *err)
{
    const char *at = file->text, *end;
    bool line_begins = true;
    int line = 1;

    file->token = calloc(strlen(file->text) + 1, sizeof *file->token);
    file->directive = calloc(strlen(file->text) / 2 + 1, sizeof *file->directive);
    if (!file->token || !file->directive)
        return error_file(err, file->path, "no memory for its words");
    for (; *at; at = end) {
        end = skip_blank(at);
        if (end == at && line_begins && (*at == '#' || strncmp(at, "%:", 2) == 0)) {
            end = directive_end(at);
            file->directive[file->directives++] = (struct try_token){at, (int)(end - at), line};
            if (is_define(at))
                read_define(file, at, end);
        } else if (end == at) {
            end = token_end(at);
            add_token(file, at, end, line);
            line_begins = false;
        }
        for (const char *c = at; c < end; c++) {
            line += *c == '\n';
            line_begins = line_begins || *c == '\n';
        }
    }
    /* The words end with an empty one, so that a look at the next one is a look at something. */
    struct try_token *exact =
        realloc(file->token, ((size_t)file->tokens + 1) * sizeof *file->token);
    file->token = exact ? exact : file->token;
    file->token[file->tokens] = (struct try_token){"", 0, line};
    find_constants(file);
    return true;
}
