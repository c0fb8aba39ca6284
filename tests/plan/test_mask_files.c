/* Masks as files: names, folders and the order of the search; rows written in place and standard
 * input; and the masks that come with the program. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/did_you_mean.h"
#include "plan/mask.h"
#include "tests/test.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECKF(file != NULL, "%s", path);
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

/* Loads ARGUMENT and checks its first weight, or the message if SENTENCE is given. */
static void check_load(const char *argument, long first, const char *sentence)
{
    struct mask mask;
    struct error err = {EXIT_DONE, ""};
    bool good = mask_load(&mask, argument, &err);
    CHECKF(good == !sentence, "'%s': %s", argument, err.text);
    CHECKF(good || (err.code == EXIT_USAGE && strncmp(err.text, sentence, strlen(sentence)) == 0),
           "'%s': %s", argument, err.text);
    CHECKF(!good || mpq_cmp_si(mask.weight[0], first, 1) == 0, "'%s' is another mask", argument);
    mask_free(&mask);
}

struct visits {
    char names[512];
    char path[256]; /* path of the mask `twice` */
};

static void visit(const char *name, const char *path, void *context)
{
    struct visits *visits = context;
    size_t used = strlen(visits->names);
    if (name[0] == 'Z' || strncmp(name, "tw", 2) == 0 || strncmp(name, "a", 1) == 0)
        snprintf(visits->names + used, sizeof visits->names - used, "%s ", name);
    if (strcmp(name, "twice") == 0)
        snprintf(visits->path, sizeof visits->path, "%s", path);
}

/* The test folder, in the order of creation; a name without text is a folder. */
static const struct {
    const char *path, *text;
} tree[] = {
    {"one", NULL},
    {"two", NULL},
    {"folder.txt", NULL},
    {"two/7", NULL},
    {"here.txt", "11"},
    {"8", "18"},
    {"1 2", "99"},
    {"one/twice.txt", "21"},
    {"one/notes.md", "no mask"},
    {"one/.hidden.txt", "1"},
    {"two/twice.txt", "31"},
    {"two/twofold.txt", "32"},
    {"two/Zoom.txt", "33"},
    {"two/aa.txt", "34"},
    {"two/bare", "35"},
    {"two/7/deep.txt", "36"},
    {"large.txt", ""},
};
#define TREE_COUNT (int)(sizeof tree / sizeof tree[0])

static char top[] = "/tmp/mask-test-XXXXXX", back[4096];

static void enter_tree(void)
{
    CHECK(getcwd(back, sizeof back) && mkdtemp(top) && chdir(top) == 0);
    for (int i = 0; i < TREE_COUNT; i++) {
        if (tree[i].text)
            write_file(tree[i].path, tree[i].text);
        else
            CHECK(mkdir(tree[i].path, 0777) == 0);
    }
    CHECK(truncate("large.txt", (8 << 20) + 1) == 0);
    setenv("STENCILCLI_MASKS", ":missing:one::two:", 1);
}

static void leave_tree(void)
{
    unsetenv("STENCILCLI_MASKS");
    for (int i = TREE_COUNT - 1; i >= 0; i--)
        CHECKF(remove(tree[i].path) == 0, "%s", tree[i].path);
    CHECK(chdir(back) == 0 && remove(top) == 0);
}

static void names_and_paths(void)
{
    check_load("here.txt", 11, NULL);
    check_load("here", 11, NULL);
    check_load("./here", 11, NULL);
    check_load("twice", 21, NULL);
    check_load("twice.txt", 21, NULL);
    check_load("two/twice", 31, NULL);
    check_load("twofold", 32, NULL);
    check_load("bare", 35, NULL);
    check_load("gauss5", 1, NULL);
    check_load("sobel_x.txt", -1, NULL);
    check_load("gauss5.tx", 0, "no mask 'gauss5.tx' (looked in this folder, one, two");
    check_load("folder", 0, "no mask 'folder' (looked in this folder, one, two");
    check_load("notes", 0, "no mask 'notes' (looked in this folder, one, two");
    check_load("one/nothing", 0, "no mask 'one/nothing': no such file, with or without .txt");
    check_load("7/deep", 0, "no mask '7/deep': no such file, with or without .txt");
    check_load("large", 0, "large.txt: too large for a mask: more than 8 MiB");
    check_load("/dev/zero", 0, "/dev/zero: too large for a mask: more than 8 MiB");
    check_load("/dev/null", 0, "/dev/null:1:1: expected a row of numbers");
}

static void in_place(void)
{
    /* Text with several numbers is always rows; a lone number is, unless a file has this name. */
    check_load("7 8; 9 10", 7, NULL);
    check_load("7,8", 7, NULL);
    check_load("1 2", 1, NULL);
    check_load("7", 7, NULL);
    check_load("8", 18, NULL);
    check_load("-2 3", -2, NULL);
    check_load("normalize\n4 5", 4, NULL);
    check_load("1 x 1", 0, "--mask:1:3: expected a number, got 'x'");
    check_load("x 1", 0, "no mask 'x 1'");
    check_load("", 0, "--mask: expected a name, a file or rows of numbers");
    check_load(" ", 0, "--mask: expected a name, a file or rows of numbers");
}

static void list(void)
{
    struct visits visits = {"", ""};
    mask_list(visit, &visits);
    CHECKF(strcmp(visits.names, "Zoom aa twice twofold ") == 0, "%s", visits.names);
    CHECKF(strcmp(visits.path, "one/twice.txt") == 0, "%s", visits.path);
}

static void unknown_names(void)
{
    struct mask mask;
    struct error err = {EXIT_DONE, ""};
    CHECK(!mask_load(&mask, "gaus5", &err));
    CHECKF(strstr(err.text, "); did you mean 'gauss5'?") != NULL, "%s", err.text);
    CHECK(!mask_load(&mask, "quite another thing", &err));
    CHECKF(strstr(err.text, "); `stencilcli list masks` prints all") != NULL, "%s", err.text);
}

/* The text of a pipe can be read only once. */
static void standard_input(void)
{
    struct mask mask;
    struct error err;
    int pipes[2], before = dup(STDIN_FILENO);
    CHECK(before >= 0 && pipe(pipes) == 0);
    CHECK(write(pipes[1], "41 1\n", 5) == 5 && close(pipes[1]) == 0);
    CHECK(dup2(pipes[0], STDIN_FILENO) == STDIN_FILENO && close(pipes[0]) == 0);
    check_load("-", 41, NULL);
    CHECK(!mask_load(&mask, "-", &err) && err.code == EXIT_USAGE);
    CHECK(dup2(before, STDIN_FILENO) == STDIN_FILENO && close(before) == 0);
}

/* ---- the masks that come with the program ---- */

static const char *const shipped[] = {
    "box3",      "box5",     "box7",     "edge4",    "edge8",    "emboss",  "gauss3",
    "gauss5",    "gauss7",   "gauss9",   "identity", "laplace5", "motion9", "prewitt_x",
    "prewitt_y", "scharr_x", "scharr_y", "sharpen",  "sobel_x",  "sobel_y", "unsharp5",
};
#define SHIPPED_COUNT (int)(sizeof shipped / sizeof shipped[0])

/* Sums of the masks: the factor for a flat area. */
static long gain_of(const char *name)
{
    return strncmp(name, "edge", 4) == 0 || strncmp(name, "laplace", 7) == 0 ||
                   strcmp(name, "emboss") == 0 || strchr(name, '_')
               ? 0
               : 1;
}

static void shipped_masks(void)
{
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        struct mask mask;
        struct error err = {EXIT_DONE, ""};
        char path[64];
        snprintf(path, sizeof path, "masks/%s.txt", shipped[i]);
        bool good = mask_load(&mask, path, &err);
        CHECKF(good, "%s", err.text);
        if (!good)
            continue;
        CHECKF(strcmp(mask_builtin_name(i), shipped[i]) == 0, "%s is not built in", shipped[i]);
        CHECKF(mask.title && strlen(mask.title) > 5, "%s has no comment", path);
        CHECKF(mask.anchor_x == mask.width / 2 && mask.anchor_y == mask.height / 2, "%s", path);
        mpq_t sum;
        mpq_init(sum);
        mask_sum(sum, &mask);
        mpq_div(sum, sum, mask.divisor);
        CHECKF(mpq_cmp_si(sum, gain_of(shipped[i]), 1) == 0, "%s", path);
        mpq_clear(sum);
        mask_free(&mask);
    }
}

static long binomial(int n, int k)
{
    return k == 0 ? 1 : binomial(n, k - 1) * (n - k + 1) / k;
}

/* Masks with a formula, cell by cell. */
static void shipped_numbers(void)
{
    for (int n = 3; n <= 9; n += 2) {
        struct mask gauss, box;
        struct error err;
        char path[64];
        snprintf(path, sizeof path, "masks/gauss%d.txt", n);
        CHECK(mask_load(&gauss, path, &err) && gauss.width == n && gauss.height == n);
        for (int k = 0; k < n * n; k++)
            CHECKF(mpq_cmp_si(gauss.weight[k], binomial(n - 1, k / n) * binomial(n - 1, k % n),
                              1) == 0,
                   "%s, cell %d", path, k);
        mask_free(&gauss);
        if (n == 9)
            break;
        snprintf(path, sizeof path, "masks/box%d.txt", n);
        CHECK(mask_load(&box, path, &err) && box.width == n && box.height == n);
        for (int k = 0; k < n * n; k++)
            CHECKF(mpq_cmp_si(box.weight[k], 1, 1) == 0, "%s, cell %d", path, k);
        mask_free(&box);
    }
}

int main(void)
{
    enter_tree();
    TEST(names_and_paths);
    TEST(in_place);
    TEST(list);
    TEST(unknown_names);
    TEST(standard_input);
    leave_tree();
    TEST(shipped_masks);
    TEST(shipped_numbers);
    return test_finish();
}
