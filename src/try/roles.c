/* Which parameter is what, by name and type, and the shape of a kernel's blocks: see roles.h. */
#include "try/roles.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const try_border_name[TRY_BORDERS] = {"zero", "replicate", "mirror", "reflect", "wrap"};

/* Names in lower case, without underscores. */
static const struct {
    enum try_role role;
    bool pointer;
    const char *key, *names;
} rows[] = {
    {ROLE_N, true, "N", " n in input dn din inputimagedata inputimage src source x dinput "},
    {ROLE_P, true, "P", " p out output dp dout outputimagedata outputimage dst result y doutput "},
    {ROLE_M, true, "M", " m mask dm dmask kernel filter f mc cmask weights maskc df dfilter "},
    {ROLE_MASK_WIDTH, false, "mask_width",
     " maskwidth k nmask masksize filterwidth filtersize "
     "kernelwidth kernelsize mw mwidth "},
    {ROLE_WIDTH, false, "width", " width w cols n length ncols nx imagewidth inputwidth "},
    {ROLE_HEIGHT, false, "height", " height h rows nrows ny imageheight inputheight "},
    {ROLE_PITCH, false, "pitch", " pitch stride "},
    {ROLE_CHANNELS, false, "channels", " channels c nchannels "},
};
#define ROWS (sizeof rows / sizeof rows[0])

enum try_role try_role_of(const struct try_token *name, bool pointer)
{
    char word[TRY_NAME + 3] = " ";
    size_t used = 1;

    for (int i = 0; i < name->length && used < TRY_NAME; i++)
        if (name->at[i] != '_')
            word[used++] = (char)tolower((unsigned char)name->at[i]);
    word[used++] = ' ';
    word[used] = '\0';
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].pointer == pointer && strstr(rows[i].names, word))
            return rows[i].role;
    return ROLE_NONE;
}

enum try_role try_role_named(const char *key)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcasecmp(rows[i].key, key) == 0)
            return rows[i].role;
    return ROLE_NONE;
}

int try_type_bytes(enum try_type type)
{
    static const int bytes[] = {4, 8, 1, 1, 2, 2, 4, 4, 8, 8, 0};
    return bytes[type];
}

enum try_type try_type_of(const char *type)
{
    const bool is_unsigned = strstr(type, "unsigned") || strstr(type, "uchar") ||
                             strstr(type, "uint") || strstr(type, "size_t");
    const bool is_long = strstr(type, "long") || strstr(type, "int64") || strstr(type, "size_t");

    if (strstr(type, "float"))
        return TYPE_F32;
    if (strstr(type, "double"))
        return TYPE_F64;
    if (strstr(type, "char") || strstr(type, "int8"))
        return is_unsigned ? TYPE_U8 : TYPE_I8;
    if (strstr(type, "short") || strstr(type, "int16"))
        return is_unsigned ? TYPE_U16 : TYPE_I16;
    if (is_long)
        return is_unsigned || strstr(type, "uint64") ? TYPE_U64 : TYPE_I64;
    if (strstr(type, "int") || is_unsigned)
        return is_unsigned ? TYPE_U32 : TYPE_I32;
    return TYPE_NONE;
}

void try_roles_guess(struct try_function *function)
{
    for (int i = 0; i < function->parameters; i++) {
        struct try_parameter *it = &function->parameter[i];
        const struct try_token name = {it->name, (int)strlen(it->name), 0};
        it->role = try_role_of(&name, it->pointer);
    }
}

/* The type of a parameter's elements, also if a template's argument gives it. */
static enum try_type element_type(const struct try_file *file, const struct try_parameter *it)
{
    enum try_type type = try_type_of(it->type);

    for (int i = 0; type == TYPE_NONE && i < file->kernel.template_names; i++) {
        const char *argument = file->template_args;
        if (!strstr(it->type, file->kernel.template_name[i]))
            continue;
        for (int skip = i; skip > 0 && argument; skip--)
            argument = strchr(argument, ',') ? strchr(argument, ',') + 1 : NULL;
        if (argument) {
            char word[TRY_NAME];
            snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, ","), argument);
            type = try_type_of(word);
        }
    }
    return type;
}

static bool check_function(struct try_file *file, const struct try_function *function,
                           struct error *err)
{
    for (int i = 0; i < function->parameters; i++) {
        const struct try_parameter *it = &function->parameter[i];
        if (it->role == ROLE_NONE)
            return error_file(err, file->path,
                              "what is the parameter '%s' of %s for? Name it as the chapter does "
                              "(N, P, M, Mask_Width, width, height, pitch, channels), or write a "
                              "line '// stencil: width=%s'",
                              it->name, function->name, it->name);
        file->has[it->role] = true;
        if (it->pointer)
            file->type[it->role] = element_type(file, it);
        if (it->pointer && file->type[it->role] == TYPE_NONE)
            return error_file(err, file->path,
                              "what are the elements of '%s'? Expected float, double or a type of "
                              "integers; for a template write '// stencil: template=float'",
                              it->name);
    }
    return true;
}

bool try_roles_check(struct try_file *file, struct error *err)
{
    static const char *const needs[] = {[ROLE_N] = "input, named N",
                                        [ROLE_P] = "output, named P",
                                        [ROLE_M] = "mask: a pointer M, or an array M in constant "
                                                   "memory"};
    /* Templates may begin without a type of their own: then float. */
    if (file->kernel.template_names > 0 && !file->template_args[0] && !file->launch.name[0])
        snprintf(file->template_args, TRY_NAME, "%s", "float");
    const struct try_function *function = file->launch.name[0] ? &file->launch : &file->kernel;
    if (!check_function(file, function, err))
        return false;
    for (int role = ROLE_N; role <= ROLE_M; role++)
        if (!file->has[role])
            return error_file(err, file->path, "%s has no %s", function->name, needs[role]);
    if (!file->dims)
        file->dims = file->has[ROLE_HEIGHT] ? 2 : 1;
    return true;
}

/* ---- the shape ---- */

/* The first of these constants that the file has; 0: none. */
static int constant_of(const struct try_file *file, const char *names)
{
    char words[256], *rest = words;

    snprintf(words, sizeof words, "%s", names);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        const long long value = try_file_constant(file, word);
        if (value > 0 && value <= 1 << 20)
            return (int)value;
    }
    return 0;
}

static bool find_masks(struct try_file *file, struct error *err)
{
    const int most = constant_of(file, "MAX_MASK_WIDTH MAX_MASK_SIZE MAX_MASK MAX_FILTER_WIDTH");
    const int width = constant_of(file, "MASK_WIDTH Mask_Width mask_width MASK_SIZE FILTER_WIDTH "
                                        "FILTER_SIZE KERNEL_SIZE KERNEL_WIDTH K");
    const int radius = constant_of(file, "MASK_RADIUS RADIUS FILTER_RADIUS R");
    const int o_tile = constant_of(file, "O_TILE_WIDTH O_TILE_SIZE OUT_TILE_DIM");
    const int block = constant_of(file, "BLOCK_WIDTH BLOCK_SIZE BLOCK_DIM IN_TILE_DIM");
    const int widest = TRY_MOST_MASK(file->dims);
    int cells = file->mask_row ? file->mask_row : file->mask_cells;

    if (!file->has[ROLE_MASK_WIDTH] && !file->only_mask)
        file->only_mask = width ? width : radius ? 2 * radius + 1 : 0;
    if (cells > 0 && file->dims == 2 && !file->mask_row) {
        int side = 1;
        while ((side + 1) * (side + 1) <= cells)
            side++;
        cells = side;
    }
    file->limit_mask = most;
    if (cells > 0 && (!file->limit_mask || cells < file->limit_mask))
        file->limit_mask = cells;
    if (!file->only_mask && !file->has[ROLE_MASK_WIDTH])
        file->only_mask = cells ? cells : 3;
    if (o_tile && block >= o_tile && (!file->limit_mask || block - o_tile + 1 < file->limit_mask))
        file->limit_mask = block - o_tile + 1;
    if (file->only_mask)
        file->limit_mask = file->only_mask;
    file->most_mask = most ? most : file->dims == 1 ? 31 : 15;
    if (file->limit_mask && (file->only_mask || file->limit_mask < file->most_mask))
        file->most_mask = file->limit_mask;
    if (file->only_mask > widest)
        return error_file(err, file->path,
                          "its mask of %d cells along an axis is too wide to try in software: "
                          "make it at most %d wide",
                          file->only_mask, widest);
    if (file->most_mask > widest)
        file->most_mask = widest;
    return true;
}

bool try_shape_find(struct try_file *file, const struct try_shape *shape, struct error *err)
{
    const int o_tile = constant_of(file, "O_TILE_WIDTH O_TILE_SIZE OUT_TILE_DIM");
    const int tile = constant_of(file, "TILE_SIZE TILE_WIDTH TILE_DIM");
    const int block = constant_of(file, "BLOCK_WIDTH BLOCK_SIZE BLOCK_DIM IN_TILE_DIM");
    const int most = constant_of(file, "MAX_MASK_WIDTH MASK_WIDTH Mask_Width");

    if (!find_masks(file, err))
        return false;
    for (int axis = 0; axis < 2; axis++) {
        int *b = &file->block[axis], *t = &file->tile[axis];
        *b = shape->block[axis] ? shape->block[axis] : *b;
        *t = shape->tile[axis] ? shape->tile[axis] : *t;
        if (!*b)
            *b = block             ? block
                 : o_tile && most  ? o_tile + most - 1
                 : *t              ? *t
                 : o_tile          ? o_tile
                 : tile            ? tile
                 : file->dims == 1 ? 256
                                   : 16;
        if (!*t)
            *t = o_tile ? o_tile : tile ? tile : *b;
        if (file->dims == 1 && axis == 1)
            *b = *t = 1;
    }
    if ((long long)file->block[0] * file->block[1] > 1024)
        return error_file(err, file->path, "a block of %d x %d threads: a block may have 1024",
                          file->block[0], file->block[1]);
    return true;
}
