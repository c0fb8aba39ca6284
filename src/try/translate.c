/* A student's file as C++ for the software GPU. A launch `k<<<grid, block>>>(...)` becomes a call
 * of try_launch. A shared array becomes a reference to an array that the probes watch, a mask in
 * constant memory too. A function try_call behind the file launches the kernel with the arguments
 * of a case. Lines keep their numbers. See try/file.h; the words are in cuda/try_words.h. */
#include "try/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "try/roles.h"

struct writer {
    const struct try_file *file;
    FILE *out;
    const char *written; /* the text before it is written */
};

static void copy_until(struct writer *writer, const char *end)
{
    if (end > writer->written)
        fwrite(writer->written, 1, (size_t)(end - writer->written), writer->out);
    writer->written = end;
}

/* The words on one line, with blanks where there are some. */
static void put_tokens(const struct writer *writer, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct try_token *it = &writer->file->token[i];
        const bool blank = i + 1 == to || it->at + it->length != it[1].at;
        fprintf(writer->out, blank ? "%.*s " : "%.*s", it->length, it->at);
    }
}

/* The text up to token AT is done; its newlines are kept. */
static void skip_until(struct writer *writer, int at)
{
    const struct try_file *file = writer->file;
    const char *end = at < file->tokens ? file->token[at].at : file->text + strlen(file->text);

    for (; writer->written < end; writer->written++)
        if (*writer->written == '\n')
            fputc('\n', writer->out);
}

/* `<<<` at token AT. Returns the token behind `>>>`; -1: it is not understood. */
static int put_launch(struct writer *writer, int at)
{
    const struct try_file *file = writer->file;
    int begin = at - 1, end = at + 1;

    if (begin > 0 && try_token_is(&file->token[begin], ">")) {
        while (begin > 0 && !try_token_is(&file->token[begin], "<"))
            begin--;
        begin--;
    }
    while (end < file->tokens && !try_token_is(&file->token[end], ">>>"))
        end++;
    if (begin < 0 || end >= file->tokens || file->token[begin].at < writer->written)
        return -1;
    copy_until(writer, file->token[begin].at);
    fprintf(writer->out, "try_launch(");
    put_tokens(writer, begin, at);
    fprintf(writer->out, ", ");
    put_tokens(writer, at + 1, end);
    fprintf(writer->out, ")");
    skip_until(writer, end + 1);
    return end + 1;
}

/* One declarator of a shared or constant array: NAME at token NAME, dimensions behind it. */
static int put_array(struct writer *writer, int type, int type_end, int name, bool dynamic,
                     const char *make)
{
    const struct try_file *file = writer->file;
    int end = name + 1;

    while (end < file->tokens && try_token_is(&file->token[end], "["))
        end = try_token_close(file, end) + 1;
    const struct try_token *word = &file->token[name];
    if (dynamic) {
        put_tokens(writer, type, type_end);
        fprintf(writer->out, "*const %.*s = try_dynamic<", word->length, word->at);
        put_tokens(writer, type, type_end);
        fprintf(writer->out, ">(\"%.*s\"); ", word->length, word->at);
        return end;
    }
    put_tokens(writer, type, type_end);
    fprintf(writer->out, "(&%.*s)", word->length, word->at);
    put_tokens(writer, name + 1, end);
    fprintf(writer->out, "= %s<__COUNTER__>{\"%.*s\"}; ", make, word->length, word->at);
    return end;
}

/* A declaration that begins with `__shared__` or `__constant__` at token AT. Returns the token
 * behind it; AT + 1 if it stays as it is. */
static int put_arrays(struct writer *writer, int at, const char *make)
{
    const struct try_file *file = writer->file;
    int end = at, name = at, begin = at, type = at + 1;

    while (end < file->tokens && !try_token_is(&file->token[end], ";")) {
        if (try_token_is(&file->token[end], "{") || try_token_is(&file->token[end], "=") ||
            try_token_is(&file->token[end], "("))
            break;
        end++;
    }
    if (try_token_is(&file->token[type], "__align__"))
        type = try_token_close(file, type + 1) + 1;
    for (end = type; end < file->tokens && !strchr(";={(", file->token[end].at[0]); end++)
        ;
    if (end >= file->tokens || strchr("{(", file->token[end].at[0]))
        return at + 1;
    while (name + 1 < end && !strchr("[,;=", file->token[name + 1].at[0]))
        name++;
    bool dynamic = false;
    for (; begin > 0 && (try_token_is(&file->token[begin - 1], "extern") ||
                         try_token_is(&file->token[begin - 1], "static"));
         begin--)
        dynamic = dynamic || try_token_is(&file->token[begin - 1], "extern");
    copy_until(writer, file->token[begin].at);
    const int type_end = name;
    for (;;) {
        name = put_array(writer, type, type_end, name, dynamic, make);
        if (name >= end || !try_token_is(&file->token[name], ","))
            break;
        name++;
    }
    while (end < file->tokens && !try_token_is(&file->token[end], ";")) /* an initialiser */
        end = try_token_is(&file->token[end], "{") ? try_token_close(file, end) + 1 : end + 1;
    skip_until(writer, end + 1);
    return end + 1;
}

static bool is_mask_constant(const struct try_file *file, int at)
{
    while (at + 1 < file->tokens && !strchr("[;=(", file->token[at + 1].at[0]))
        at++;
    return file->mask_constant[0] && try_token_is(&file->token[at], file->mask_constant);
}

/* ---- try_call ---- */

static void put_argument(FILE *out, const struct try_parameter *it)
{
    static const char *const member[ROLE_COUNT] = {
        [ROLE_N] = "n",           [ROLE_P] = "p",
        [ROLE_M] = "m",           [ROLE_WIDTH] = "width",
        [ROLE_HEIGHT] = "height", [ROLE_MASK_WIDTH] = "mask_width",
        [ROLE_PITCH] = "pitch",   [ROLE_CHANNELS] = "channels"};
    if (it->pointer)
        fprintf(out, "try_pointer{a->%s}", member[it->role]);
    else
        fprintf(out, "try_number{a->%s}", member[it->role]);
}

/* GPU: for nvcc, which knows launches. */
static void put_call(const struct writer *writer, bool gpu)
{
    static const char grid[] = "dim3(a->grid[0], a->grid[1]), dim3(a->block[0], a->block[1])";
    const struct try_file *file = writer->file;
    const bool own = file->launch.name[0] != '\0', template = file->template_args[0] != '\0';
    const struct try_function *function = own ? &file->launch : &file->kernel;
    FILE *out = writer->out;

    fprintf(out, "\n#line 1 \"the launch of %s\"\n", file->kernel.name);
    fprintf(out, "extern \"C\" void try_call(const struct try_arguments *a)\n{\n    ");
    if (!own && !gpu)
        fprintf(out, "try_launch(");
    fprintf(out, "%s", function->name);
    if (!own && template)
        fprintf(out, "<%s>", file->template_args);
    if (!own)
        fprintf(out, gpu ? "<<<%s, a->shared>>>" : ", %s, a->shared)", grid);
    fputc('(', out);
    for (int i = 0; i < function->parameters; i++) {
        if (i > 0)
            fprintf(out, ", ");
        put_argument(out, &function->parameter[i]);
    }
    fprintf(out, ");\n}\n");
}

/* ---- what is refused ---- */

/* Files that a kernel's file may include. */
static bool is_known_header(const char *name, size_t length)
{
    static const char known[] =
        " cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h assert.h ctype.h "
        "errno.h float.h inttypes.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h stdlib.h "
        "string.h time.h algorithm array cassert cfloat chrono climits cmath cstddef cstdint "
        "cstdio cstdlib cstring ctime fstream functional iomanip iostream limits memory numeric "
        "random sstream stdexcept string tuple type_traits utility vector ";
    char word[64];

    if (length + 3 > sizeof word)
        return false;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    return strstr(known, word) != NULL;
}

/* A directive without comments and continued lines, its words without blanks before them. */
static void clean_directive(char *text, size_t room, const struct try_token *directive)
{
    size_t used = 0;

    for (int i = 0; i < directive->length && used + 1 < room; i++) {
        const char *at = directive->at + i;
        if (at[0] == '\\' && at[1] == '\n') {
            i++;
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            i += end ? (int)(end - at) + 1 : directive->length;
        } else if (used > 0 || !strchr("#%: \t", *at)) {
            text[used++] = *at;
        }
    }
    text[used] = '\0';
}

/* Only headers that hold no secrets are included: the compiler's messages may quote a file. */
static bool check_directives(const struct try_file *file, struct error *err)
{
    for (int i = 0; i < file->directives; i++) {
        const int line = file->directive[i].line;
        char text[512];
        clean_directive(text, sizeof text, &file->directive[i]);
        if (strncmp(text, "pragma", 6) == 0 && (strstr(text, "GCC") || strstr(text, "clang")))
            return error_file(err, file->path,
                              "line %d: a #pragma for the compiler is not understood here", line);
        if (strncmp(text, "include", 7) != 0 && strncmp(text, "import", 6) != 0 &&
            strncmp(text, "embed", 5) != 0)
            continue;
        const char *word = text + strcspn(text, " \t<\"");
        word += strspn(word, " \t");
        const char *end = *word ? strpbrk(word + 1, ">\"") : NULL;
        if ((*word != '<' && *word != '"') || !end ||
            !is_known_header(word + 1, (size_t)(end - word - 1)))
            return error_file(err, file->path,
                              "line %d includes a file that is neither CUDA's nor "
                              "of the standard library: expected all of the "
                              "kernel in one file",
                              line);
    }
    return true;
}

static bool check_words(const struct try_file *file, struct error *err)
{
    for (int i = 0; i < file->tokens; i++) {
        const struct try_token *token = &file->token[i];
        if (try_token_is(token, "asm") || try_token_is(token, "__asm__") ||
            try_token_is(token, "__asm"))
            return error_file(err, file->path, "line %d has assembler, which only a GPU can run",
                              token->line);
    }
    return check_directives(file, err);
}

char *try_translate(const struct try_file *file, struct error *err)
{
    char *text = NULL;
    size_t bytes;
    struct writer writer = {file, NULL, file->text};

    if (!check_words(file, err) || !(writer.out = open_memstream(&text, &bytes)))
        return NULL;
    fprintf(writer.out, "#include \"try_words.h\"\n#line 1 \"" TRY_SOURCE "\"\n");
    for (int i = 0; i < file->tokens;) {
        int next = i + 1;
        if (try_token_is(&file->token[i], "<<<"))
            next = put_launch(&writer, i);
        else if (try_token_is(&file->token[i], "__shared__"))
            next = put_arrays(&writer, i, "try_shared");
        else if (try_token_is(&file->token[i], "__constant__") && is_mask_constant(file, i))
            next = put_arrays(&writer, i, "try_constant");
        if (next < 0) {
            error_file(err, file->path, "line %d: this launch is not understood",
                       file->token[i].line);
            fclose(writer.out);
            free(text);
            return NULL;
        }
        i = next;
    }
    copy_until(&writer, file->text + strlen(file->text));
    put_call(&writer, false);
    if (fclose(writer.out) == 0)
        return text;
    free(text);
    error_file(err, file->path, "no memory to translate it");
    return NULL;
}

char *try_translate_gpu(const struct try_file *file, struct error *err)
{
    char *text = NULL;
    size_t bytes;
    struct writer writer = {file, open_memstream(&text, &bytes), file->text};

    if (writer.out) {
        if (file->mask_constant[0])
            fprintf(writer.out, "#define TRY_MASK %s\n", file->mask_constant);
        fprintf(writer.out, "#include \"try_gpu.h\"\n#line 1 \"" TRY_SOURCE "\"\n%s", file->text);
        put_call(&writer, true);
        fprintf(writer.out, "#include \"try_gpu_main.h\"\n");
        if (fclose(writer.out) == 0)
            return text;
        free(text);
    }
    error_file(err, file->path, "no memory to translate it");
    return NULL;
}
