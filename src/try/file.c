/* Reads a student's file: its kernel, the roles of the parameters, and its shape. See try/file.h.
 * roles.c knows the names. */
#include "try/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "try/roles.h"

#define MOST_BYTES (1 << 20)

static bool is_word(const struct try_token *token)
{
    return token->at[0] == '_' || (token->at[0] | 32) >= 'a';
}

static void copy_words(char *text, size_t room, const struct try_file *file, int from, int to)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = from; i < to; i++) {
        const struct try_token *token = &file->token[i];
        const bool blank = used > 0 && is_word(token) && is_word(token - 1);
        if (used + (size_t)token->length + 2 > room)
            return;
        used += (size_t)snprintf(text + used, room - used, "%s%.*s", blank ? " " : "",
                                 token->length, token->at);
    }
}

/* ---- functions ---- */

/* One parameter: tokens [FROM, TO). */
static void read_parameter(const struct try_file *file, int from, int to,
                           struct try_function *function)
{
    struct try_parameter *parameter = &function->parameter[function->parameters];
    int name = -1, end = to;

    for (int i = from; i < to; i++) {
        if (try_token_is(&file->token[i], "=")) {
            end = i; /* a default value */
            break;
        }
    }
    for (int i = from; i < end; i++) {
        parameter->pointer = parameter->pointer || strchr("*[", file->token[i].at[0]);
        if (try_token_is(&file->token[i], "["))
            break;
        if (is_word(&file->token[i]))
            name = i;
    }
    if (name < 0 || (name == from && end == from + 1 && try_token_is(&file->token[from], "void")) ||
        function->parameters == TRY_PARAMETERS - 1)
        return;
    copy_words(parameter->type, sizeof parameter->type, file, from, name);
    snprintf(parameter->name, TRY_NAME, "%.*s", file->token[name].length, file->token[name].at);
    for (int i = name + 1; i < end && try_token_is(&file->token[i], "["); i++)
        strncat(parameter->type, "*", sizeof parameter->type - strlen(parameter->type) - 1);
    function->parameters++;
}

/* The function whose list of parameters opens at token OPEN. */
static void read_function(const struct try_file *file, int open, struct try_function *function)
{
    const int close = try_token_close(file, open);
    int from = open + 1, depth = 0;

    *function = (struct try_function){.line = file->token[open - 1].line};
    snprintf(function->name, TRY_NAME, "%.*s", file->token[open - 1].length,
             file->token[open - 1].at);
    for (int i = open + 1; i <= close && i < file->tokens; i++) {
        const char c = file->token[i].at[0];
        if (i == close || (c == ',' && depth == 0)) {
            read_parameter(file, from, i, function);
            from = i + 1;
        }
        depth += strchr("([{<", c) != NULL;
        depth -= strchr(")]}>", c) != NULL;
    }
}

/* The names of the template's parameters, if token BEFORE ends a template's list. */
static void read_template(const struct try_file *file, int before, struct try_function *function)
{
    int at = before;

    if (before < 0) /* the kernel begins the file */
        return;
    while (at > 0 && !strchr(";}", file->token[at].at[0]) &&
           !try_token_is(&file->token[at], "template"))
        at--;
    if (!try_token_is(&file->token[at], "template") || at + 1 >= before)
        return;
    for (int i = at + 2; i <= before && function->template_names < 4; i++) {
        if (is_word(&file->token[i - 1]) && strchr(",>=", file->token[i].at[0])) {
            snprintf(function->template_name[function->template_names++], TRY_NAME, "%.*s",
                     file->token[i - 1].length, file->token[i - 1].at);
            while (i < before && !strchr(",>", file->token[i].at[0]))
                i++;
        }
        if (try_token_is(&file->token[i], ">"))
            return;
    }
}

/* Finds the kernels; takes the one named WANTED, or the last one. */
static void find_kernel(struct try_file *file, const char *wanted)
{
    for (int i = 0; i < file->tokens; i++) {
        struct try_function found;
        int open = i + 1;
        if (!try_token_is(&file->token[i], "__global__"))
            continue;
        while (open + 1 < file->tokens && !strchr(";{", file->token[open].at[0]) &&
               !(try_token_is(&file->token[open], "(") &&
                 !try_token_is(&file->token[open - 1], "__launch_bounds__")))
            open =
                try_token_is(&file->token[open], "(") ? try_token_close(file, open) + 1 : open + 1;
        if (open >= file->tokens || !try_token_is(&file->token[open], "("))
            continue;
        const int close = try_token_close(file, open);
        if (close + 1 >= file->tokens || !try_token_is(&file->token[close + 1], "{"))
            continue; /* a declaration */
        read_function(file, open, &found);
        read_template(file, i - 1, &found);
        if (!wanted[0] || strcmp(found.name, wanted) == 0)
            file->kernel = found;
    }
}

static void find_launch(struct try_file *file)
{
    for (int i = 1; i + 1 < file->tokens; i++) {
        const int close = try_token_is(&file->token[i], "launch") &&
                                  try_token_is(&file->token[i + 1], "(") &&
                                  is_word(&file->token[i - 1])
                              ? try_token_close(file, i + 1)
                              : file->tokens;
        if (close + 1 < file->tokens && try_token_is(&file->token[close + 1], "{"))
            read_function(file, i + 1, &file->launch);
    }
}

/* An array in constant memory whose name is one of a mask. */
static void find_mask_constant(struct try_file *file)
{
    for (int i = 0; i < file->tokens; i++) {
        long long cells = 1, row = 0;
        int name = i;
        if (!try_token_is(&file->token[i], "__constant__"))
            continue;
        while (name + 1 < file->tokens && !strchr("[;=(", file->token[name + 1].at[0]))
            name++;
        if (!is_word(&file->token[name]) || !try_token_is(&file->token[name + 1], "["))
            continue;
        if (try_role_of(&file->token[name], true) != ROLE_M)
            continue;
        for (int open = name + 1; try_token_is(&file->token[open], "[");) {
            const int close = try_token_close(file, open);
            row = 0;
            cells = try_value(file, open + 1, close, &row) ? cells * row : 0;
            if (open == name + 1)
                row = 0; /* the first dimension: rows, or cells of an array without rows */
            open = close + 1;
        }
        file->mask_row = (int)row;
        file->mask_cells = (int)cells;
        snprintf(file->mask_constant, TRY_NAME, "%.*s", file->token[name].length,
                 file->token[name].at);
        char type[128];
        copy_words(type, sizeof type, file, i + 1, name);
        file->type[ROLE_M] = try_type_of(type);
        file->has[ROLE_M] = true;
    }
}

/* ---- the lines `// stencil: key=value ...` ---- */

/* Calls TAKE for each pair; false if it returned false. */
static bool each_wish(struct try_file *file,
                      bool (*take)(struct try_file *file, const char *key, const char *value,
                                   struct error *err),
                      struct error *err)
{
    for (const char *line = file->text; (line = strstr(line, "// stencil:")); line++) {
        char words[512], *rest = words;
        snprintf(words, sizeof words, "%.*s", (int)strcspn(line + 11, "\r\n"), line + 11);
        for (char *word; (word = strtok_r(rest, " \t", &rest));) {
            char *value = strchr(word, '=');
            if (!value)
                return error_file(err, file->path,
                                  "the line '// stencil:' has '%s': expected "
                                  "key=value",
                                  word);
            *value++ = '\0';
            if (!take(file, word, value, err))
                return false;
        }
    }
    return true;
}

static char wanted_kernel[TRY_NAME];

static bool take_kernel(struct try_file *file, const char *key, const char *value,
                        struct error *err)
{
    (void)file, (void)err;
    if (strcmp(key, "kernel") == 0)
        snprintf(wanted_kernel, sizeof wanted_kernel, "%s", value);
    return true;
}

bool try_sides_read(const char *text, int side[2])
{
    const char *end;

    if (!word_int(text, &end, &side[0]) || side[0] < 1)
        return false;
    side[1] = side[0];
    return *end == '\0' ||
           (*end == 'x' && word_int(end + 1, &end, &side[1]) && *end == '\0' && side[1] > 0);
}

/* A whole number from 1 on. */
static bool read_count(const char *text, int *count)
{
    const char *end;

    return word_int(text, &end, count) && *end == '\0' && *count > 0;
}

static bool take_wish(struct try_file *file, const char *key, const char *value, struct error *err)
{
    const enum try_role role = try_role_named(key);

    if (strcmp(key, "kernel") == 0)
        return true;
    if (strcmp(key, "dim") == 0 && read_count(value, &file->dims) && file->dims <= 2)
        return true;
    if (strcmp(key, "template") == 0)
        snprintf(file->template_args, TRY_NAME, "%s", value);
    else if (strcmp(key, "shared") == 0 &&
             (strcmp(value, "0") == 0 || read_count(value, &file->shared)))
        return true;
    else if (strcmp(key, "mask") == 0 && strcmp(value, "odd") == 0)
        file->odd_only = true;
    else if (strcmp(key, "mask") == 0 && read_count(value, &file->only_mask))
        return true;
    else if (strcmp(key, "block") == 0 && try_sides_read(value, file->block))
        return true;
    else if (strcmp(key, "tile") == 0 && try_sides_read(value, file->tile))
        return true;
    else if (strcmp(key, "border") == 0) {
        for (int i = 0; i < TRY_BORDERS; i++)
            if (strcmp(value, try_border_name[i]) == 0)
                return file->border = (enum try_border)i, true;
        return error_file(err, file->path,
                          "the line '// stencil:' has the border '%s': expected "
                          "zero, replicate, mirror, reflect or wrap",
                          value);
    } else if (role != ROLE_NONE) {
        for (int i = 0; i < file->kernel.parameters; i++)
            if (strcmp(file->kernel.parameter[i].name, value) == 0)
                return file->kernel.parameter[i].role = role, true;
        return error_file(err, file->path,
                          "the line '// stencil:' names '%s', which is no "
                          "parameter of %s",
                          value, file->kernel.name);
    } else {
        return error_file(err, file->path,
                          "the line '// stencil:' has '%s=%s', which is not "
                          "understood",
                          key, value);
    }
    return true;
}

/* ---- the whole ---- */

static bool read_text(struct try_file *file, struct error *err)
{
    FILE *in = fopen(file->path, "rb");
    size_t length;

    if (!in)
        return error_errno(err, file->path, "open");
    file->text = malloc(MOST_BYTES + 1);
    length = file->text ? fread(file->text, 1, MOST_BYTES + 1, in) : 0;
    const bool failed = ferror(in);
    if (failed)
        error_errno(err, file->path, "read");
    fclose(in);
    if (failed)
        return false;
    if (!file->text)
        return error_file(err, file->path, "no memory for its text");
    if (length > MOST_BYTES)
        return error_file(err, file->path, "longer than 1 MiB: expected a kernel's source");
    file->text[length] = '\0';
    char *exact = realloc(file->text, length + 1); /* a sanitizer sees what is read behind it */
    file->text = exact ? exact : file->text;
    if (strlen(file->text) != length)
        return error_file(err, file->path, "not a text: expected a kernel's source");
    return true;
}

static bool find_all(struct try_file *file, struct error *err)
{
    wanted_kernel[0] = '\0';
    if (!each_wish(file, take_kernel, err))
        return false;
    find_kernel(file, wanted_kernel);
    if (!file->kernel.name[0])
        return wanted_kernel[0] ? error_file(err, file->path, "no kernel %s", wanted_kernel)
                                : error_file(err, file->path,
                                             "no kernel: expected a function "
                                             "that begins with __global__");
    find_launch(file);
    find_mask_constant(file);
    try_roles_guess(&file->kernel);
    try_roles_guess(&file->launch);
    return each_wish(file, take_wish, err);
}

bool try_file_read(struct try_file *file, const char *path, const struct try_shape *shape,
                   struct error *err)
{
    *file = (struct try_file){.path = path};
    if (!read_text(file, err) || !try_tokens_make(file, err) || !find_all(file, err) ||
        !try_roles_check(file, err) || !try_shape_find(file, shape, err)) {
        try_file_free(file);
        return false;
    }
    return true;
}

void try_file_free(struct try_file *file)
{
    free(file->text);
    free(file->token);
    free(file->directive);
    file->text = NULL;
    file->token = file->directive = NULL;
}
