/* The rows of the option table (cli/option_table.h). A row is everything that is known about an
 * option: the parser, -h, --help, the man page and the completions read it here and nowhere else.
 * options_values.c reads the values; plan/filter_words.c reads those of a filter's options. */
#include "cli/option_table.h"

#include <stddef.h>
#include <string.h>

#include "base/parallel.h"

/* The commands that take an option. */
enum {
    STEP = FOR(COMMAND_FILTER), /* what says how a filter filters: chain takes it in its steps */
    FILTER = STEP | FOR(COMMAND_CHAIN),
    FOLDER = FILTER | FOR_FOLDERS,
    INTO = FILTER | FOR_INTO,
    SIGNAL = FOR(COMMAND_SIGNAL),
    MASK = FOR(COMMAND_MASK),
    REUSE = FOR(COMMAND_REUSE),
    BENCH = FOR(COMMAND_BENCH),
    COMPARE = FOR(COMMAND_COMPARE),
    GOLDEN = FOR(COMMAND_GOLDEN),
    TRY = FOR(COMMAND_TRY),
    RUNS = FILTER | SIGNAL, /* what filters pictures or signals */
    STEPS = STEP | SIGNAL,
    MASKS = STEPS | MASK, /* what builds and changes a mask */
    ALL = FOR_ALL_COMMANDS,
    WORKS = ALL & ~FOR(COMMAND_HELP) & ~FOR(COMMAND_VERSION),
};

/* How a value is stored and completed: the columns from `set` to `words`. */
#define FIELD(name)          offsetof(struct options, name)
#define FLAG(field)          option_set_flag, FIELD(field), 0, 0, COMPLETE_NOTHING, NULL
#define TEXT(field)          option_set_text, FIELD(field), 0, 0, COMPLETE_NOTHING, NULL
#define FILTER_VALUE         option_set_filter, 0, 0, 0, COMPLETE_NOTHING, NULL
#define FILTER_FILE          option_set_filter, 0, 0, 0, COMPLETE_FILE, NULL
#define FILTER_MASK_NAME     option_set_filter, 0, 0, 0, COMPLETE_MASK, NULL
#define FILTER_WORD(word)    option_set_filter, 0, 0, 0, COMPLETE_NOTHING, word
#define FILE_NAME(field)     option_set_text, FIELD(field), 0, 0, COMPLETE_FILE, NULL
#define TEXT_OF(field, word) option_set_text, FIELD(field), 0, 0, COMPLETE_NOTHING, word
#define GLOB(field)          option_add_glob, FIELD(field), 0, 0, COMPLETE_NOTHING, NULL
#define INT(field, min, max) option_set_int, FIELD(field), min, max, COMPLETE_NOTHING, NULL
#define WORD(field, word)    option_set_word, FIELD(field), 0, 0, COMPLETE_NOTHING, word
#define KERNEL(field)        option_set_kernel, FIELD(field), 0, 0, COMPLETE_NOTHING, kernel_word
#define OWN(setter)          option_set_##setter, 0, 0, 0, COMPLETE_NOTHING, NULL
#define OWN_WORD(setter)     option_set_##setter, 0, 0, 0, COMPLETE_NOTHING, setter##_word

/* A row: names, commands, value, doc. */
/* clang-format off */
#define GROUP(title) {0, NULL, NULL, HIDDEN, NULL, 0, 0, 0, COMPLETE_NOTHING, NULL, title}
const struct option_spec option_table[OPTION_ROWS] = {
    GROUP("Mask"),

    {'m', "mask", "MASK", MASKS | REUSE | BENCH | TRY | ON_SCREEN, FILTER_MASK_NAME,
     "the weights: a name, a file, or '1 2 1; 2 4 2; 1 2 1'\n"
     "Use - for standard input. See MASK FILES. The window of an order filter (median, erode ...) "
     "is the mask's cells that are not 0."},

    {0, "sigma", "S", MASKS | BENCH | ON_SCREEN, FILTER_VALUE,
     "a Gaussian mask of this standard deviation, in pixels\n"
     "Its integer weights sum to 2048 in each direction (to 65536 for 16-bit pictures, and if the "
     "mask has more than 255 cells along an axis), so flat areas stay exactly flat. S is at most "
     "1000."},

    {0, "radius", "R", MASKS | BENCH | ON_SCREEN, FILTER_VALUE,
     "size of the mask: 2R+1 cells wide and high\n"
     "For a Gaussian mask the default is 3*S, rounded up. For the window of an order filter "
     "(median, erode ...) it is 1, and R is at most 127."},

    {0, "shape", "SHAPE", STEP | ON_SCREEN, FILTER_WORD(filter_shape_word),
     "the window (default: square); --radius sets its size\n"
     "A disc has the cells whose distance from the middle is at most R; a cross has the middle row "
     "and the middle column."},

    {0, "rank", "P%", STEP | ON_SCREEN, FILTER_VALUE,
     "which of the sorted cells: 0% is the least one\n"
     "50% is the median, 100% the greatest. 50 is the same as 50%; below 1 the percent "
     "sign is needed: 0.5%. Of N cells it is number P*N/100, rounded down, counted from 0."},

    {0, "range", "R", STEP | ON_SCREEN, FILTER_VALUE,
     "how far samples may differ: 25, or 10% of the range\n"
     "A cell counts with the weight exp(-d*d / (2*R*R)), where d is the difference from the middle "
     "sample, in sample values; of colour it is the sum of the channels' differences. The default "
     "is 10%."},

    {0, "amount", "A", STEP | MASK | ON_SCREEN, FILTER_VALUE,
     "how strongly to sharpen: 1 (the default), 0.6, 3/5"},

    {0, "divisor", "D", MASKS | ON_SCREEN, FILTER_VALUE,
     "divide the sum by D instead of the mask's divisor"},

    {0, "normalize", NULL, MASKS, FILTER_VALUE,
     "divide by the sum of the weights\n"
     "Flat areas then keep their brightness. A mask whose weights sum to 0 cannot be normalized."},

    {0, "offset", "O", MASKS | ON_SCREEN, FILTER_VALUE,
     "add O after the division: 128, -5, or 50%\n"
     "50% is half of the range. O replaces the mask's offset."},

    {0, "anchor", "X,Y", MASKS | REUSE, FILTER_VALUE,
     "the mask's cell that lies on the output sample\n"
     "The top left cell is 0,0. Without this option the mask's own anchor is used, or else the "
     "middle: half the width and half the height, rounded down."},

    {0, "flip", NULL, MASKS, FILTER_VALUE,
     "turn the mask by 180 degrees: true convolution\n"
     "Without --flip the mask is laid on the image as it is written (correlation). The anchor "
     "turns with the mask."},

    {0, "mask-width", "K", REUSE, OWN(mask_width), "widths of the masks: 5,9 (the default), 7x3\n"
     "One width, or several separated by commas. In 2D K is a mask of K x K cells; KxL is a mask "
     "that is K wide and L high, for 2D only."},

    GROUP("Filtering"),

    {'b', "border", "BORDER", STEPS | BENCH | ON_SCREEN, FILTER_WORD(filter_border_word),
     "the values beyond the edges, such as zero or mirror\n"
     "The default is replicate, for signals zero. See BORDERS."},

    {0, "alpha", "MODE", FILTER | BENCH | ON_SCREEN, OWN_WORD(alpha),
     "how transparency is treated\n"
     "The default is weighted, for bench plain. chain takes drop only, for its output; other "
     "modes are for one step and stand inside STEP. See ALPHA."},

    {0, "channels", "LIST", STEP | BENCH, FILTER_VALUE,
     "filter only these channels and copy the others\n"
     "LIST is letters of rgba (g for the channel of a gray image) or numbers from 0: rg, 0,1. For "
     "bench LIST is the number of channels of the generated picture: 1, 2, 3 (the default) or 4."},

    {0, "repeat", "N", STEPS, FILTER_VALUE,
     "filter N times, rounding each time\n"
     "Text samples are not rounded: each pass takes the exact numbers of the pass before."},

    {0, "light", "LIGHT", STEP, FILTER_WORD(filter_light_word),
     "filter linear light, or the samples as they are (encoded, the default)\n"
     "Samples are brightness as sRGB encodes it. With linear they become amounts of light, are "
     "filtered, and come back: a blur then mixes light as a lens does. For filters that add "
     "samples."},

    {0, "region", "X,Y,W,H", STEP, FILTER_VALUE,
     "filter only these W x H pixels; the top left one is X,Y\n"
     "The others are copied. The filter sees them at the region's edges."},

    {0, "where", "PICTURE", STEP, FILTER_FILE,
     "filter where this gray picture is white\n"
     "Where it is black the input is copied; gray mixes both in proportion. It must have INPUT's "
     "size."},

    {0, "nodata", "V", STEP, FILTER_VALUE,
     "samples equal to V count for nothing\n"
     "The sum is divided by the weights of the other samples. Where nothing counts, V remains. For "
     "masks without negative weights."},

    /* Nothing in this group changes the output's bytes. */
    GROUP("Running"),

    {'d', "device", "DEVICE", RUNS | BENCH | TRY | ON_SCREEN, OWN_WORD(device),
     "where to run: on the CPU or a GPU (default: auto)\n"
     "auto takes the GPU if that makes this command faster, else the CPU. cuda:N is GPU number N. "
     "For a folder cuda uses all GPUs, and cuda:0,2 uses GPUs 0 and 2. With --shard, cuda uses one "
     "GPU, chosen by the rank of the process on its machine. For bench auto is the CPU and the "
     "first GPU. A device that is asked for by name and is not there is an error. soft is the "
     "software GPU: it runs the CUDA kernels without a GPU, slowly and exactly, and only "
     "where it is asked for. Its times say nothing about a GPU's."},

    {'k', "kernel", "KERNEL", RUNS | BENCH | ON_SCREEN, KERNEL(kernel),
     "which kernel to run (default: auto, the fastest)\n"
     "The kernel's device is used. All kernels give bit-identical results. For bench: a list "
     "separated by commas, or all (the default)."},

    {0, "method", "METHOD", FILTER | BENCH, WORD(request.method, method_word),
     "how the CPU computes the sums (default: auto, the fastest)\n"
     "See `stencilcli list methods`. The CPU is used. All methods give bit-identical results. A "
     "method that cannot run the mask is an error."},

    {0, "tile", "N", RUNS | REUSE | BENCH | TRY, OWN_WORD(tile),
     "width of the output tile, for tiled kernels\n"
     "For reuse N is any width, or a list: 8,12,100. For try it is N or WxH outputs of a block. "
     "For signals N is the number of threads of a block, a power of two from 32 to 1024. "
     "Otherwise"},

    {'t', "threads", "N", RUNS | BENCH | COMPARE | GOLDEN | ON_SCREEN,
     INT(request.threads, 1, PARALLEL_MOST),
     "number of CPU threads (default: all allowed cores)"},

    {0, "plan", NULL, RUNS | ON_SCREEN, FLAG(plan), "print what would run, and run nothing\n"
     "It prints the picture, the mask, device, kernel and method, and an estimate of the time; for "
     "a tiled kernel also tile, halo, shared bytes and loads per output. "
     "OUTPUT may be left out, but not for chain. For a folder it prints the files to filter, one "
     "per line."},

    {0, "verify", NULL, RUNS | ON_SCREEN, FLAG(request.verify),
     "check every sample against the formula\n"
     "The reference, a plain C function, computes the formula. If a sample differs, its "
     "place and both values are printed, no output is written, and the exit status is 4. If all "
     "samples are equal, one line says so, unless --quiet is given."},

    {0, "time", NULL, RUNS, FLAG(time), "print the time of each stage\n"
     "The stages are reading (with decoding), filtering and writing (with encoding), and on a GPU "
     "also starting CUDA and copying. If stages overlap, their times add up to more than the "
     "total."},

    {0, "dims", "D", REUSE, INT(dims, 1, 2), "1 for arrays, 2 for pictures (default: both)"},

    {0, "size", "N", REUSE | BENCH | ON_SCREEN, OWN(size),
     "size of the array, or WxH of the picture\n"
     "In 2D N is a picture of N x N cells. For bench the default is 2048x2048, with --device soft "
     "256x256."},

    {0, "depth", "BITS", BENCH | FOR(COMMAND_MASK), WORD(depth, depth_word),
     "bits per sample of the picture (default: 8)\n"
     "For mask: of the pictures that the mask is for. Gaussians have finer weights for 16 bits. "
     "For bench: of the generated picture."},

    {0, "sweep", "WHAT", BENCH | ON_SCREEN, WORD(sweep, sweep_word),
     "time the kernels for several tile or mask widths\n"
     "With tile: tiles of 8, 16, 32 and 64 cells, for the kernels that have tiles. With mask: "
     "asymmetric masks of 3 to 31 cells a side."},

    {0, "runs", "N", BENCH | ON_SCREEN, INT(runs, 1, 1000000), "run each kernel N times\n"
     "By default each kernel runs at least 10 times and for at least a second, with --device soft "
     "once. In any case a kernel's runs end after 20 seconds."},

    {0, "cold", NULL, BENCH, FLAG(cold), "empty the caches before each run"},

    GROUP("Output"),

    {0, "format", "FORMAT", FILTER, OWN_WORD(format),
     "output format (default: by OUTPUT's extension)\n"
     "If OUTPUT is -, the default is the input's format. See FORMATS."},

    {0, "quality", "N", FILTER | ON_SCREEN, INT(request.sink.quality, 1, 100),
     "quality of JPEG, 1 to 100 (default: 90), and of WebP\n"
     "WebP output is lossless unless --quality is given."},

    {0, "png-level", "LEVEL", FILTER, OWN_WORD(png_level),
     "how hard to compress PNG: fast, default or small\n"
     "The picture is the same. `small` takes thirty times as long."},

    {0, "tiff-compression", "WORD", FILTER, OWN_WORD(tiff_compression),
     "how to compress TIFF: none, lzw, deflate, zstd or packbits\n"
     "By default it is compressed as the input if that is a TIFF, else by deflate. The picture is "
     "the same."},

    {0, "decimals", "N", SIGNAL | ON_SCREEN, INT(decimals, 0, 1000),
     "round text samples to N decimals, halves up\n"
     "N is 0 to 1000. Without this option text samples are exact: each is printed as a decimal "
     "number if the decimal ends, else as a fraction."},

    {0, "fsync", NULL, FILTER, FLAG(request.sink.sync), "wait until each output is on the disk"},
    {0, "json", NULL, WORKS | ON_SCREEN, FLAG(json), "print results as JSON, one object per line"},
    {0, "csv", NULL, REUSE, FLAG(csv), "print results as CSV, with a line of column names"},
    {0, "plot", "FILE", BENCH | ON_SCREEN, FILE_NAME(plot),
     "draw a roofline, or the lines of a sweep, as SVG\nFILE ends in .svg, or is -."},

    {'q', "quiet", NULL, WORKS | ON_SCREEN, OWN(loudness),
     "print errors only: no warnings and no progress"},

    {'v', "verbose", NULL, WORKS | ON_SCREEN, OWN(loudness),
     "also print which device and kernel were chosen"},

    GROUP("Folders"),

    {0, "include", "GLOB", FOLDER, GLOB(tree.filter.include),
     "take only the images that match (default: all)\n"
     "May be given several times. A GLOB with a slash is compared with the whole path below INPUT, "
     "where ** stands for any number of folders; a GLOB without a slash is compared with the "
     "file's name. A GLOB that ends with a slash names folders. {png,jpg} stands for png or jpg. "
     "Files that are no images by their extension are taken only if a GLOB says it: '*.dat'."},

    {0, "exclude", "GLOB", FOLDER, GLOB(tree.filter.exclude),
     "leave out files and folders that match\n"
     "May be given several times."},

    {0, "files-from", "FILE", FOLDER, FILE_NAME(tree.files_from),
     "take the files named in FILE (-: standard input)\n"
     "One name per line: as `find INPUT` prints it, or relative to INPUT, or absolute."},

    {'0', "null", NULL, FOLDER, FLAG(tree.null_ended),
     "the names in FILE end with a zero byte, not a newline\n"
     "`find -print0` writes such names. Names may then contain newlines."},

    {0, "follow", NULL, FOLDER, FLAG(tree.filter.follow),
     "also follow symlinks that lead out of INPUT"},

    {0, "ext", "EXT", INTO, TEXT_OF(tree.extension, format_word),
     "extension of the outputs, which also sets their format\n"
     "By default outputs have the names of their inputs."},

    {0, "force", NULL, FOLDER, FLAG(force), "filter all files again, also finished ones\n"
     "Without --force, finished, unchanged files are skipped. A file is unchanged if its input, "
     "its output and the options are as an earlier run recorded them."},

    {0, "fail-fast", NULL, INTO, FLAG(fail_fast), "start no further file after one has failed"},

    {0, "max-failures", "N", INTO, INT(max_failures, 1, 1000000000),
     "start no further file after N have failed"},

    {0, "shard", "I/N", FOLDER, TEXT(shard), "do the I-th of N parts (1/N to N/N), or auto\n"
     "The name of a file alone decides which part it belongs to. auto takes I and N from the "
     "variables that Slurm (job array and step), AWS Batch, Kubernetes, Open MPI and PMI set; "
     "auto/N takes only I from them. The values that auto found are printed."},

    GROUP("Comparing"),
    {0, "max-diff", "N", COMPARE, OWN(limit), "samples may differ by up to N (default: 0)"},

    {0, "max-fail-percent", "P", COMPARE, OWN(limit),
     "up to P percent of the pixels may exceed --max-diff\n"
     "A pixel exceeds --max-diff if one of its channels does. P is 0 to 100, also 0.1 or 1/3. The "
     "default is 0."},

    {0, "min-psnr", "DB", COMPARE, OWN(limit), "the PSNR of all samples must be at least DB"},
    {0, "min-ssim", "S", COMPARE, OWN(limit), "the mean SSIM of the channels must be at least S"},

    {0, "diff", "FILE", COMPARE, FILE_NAME(diff), "draw where the pictures differ and how much\n"
     "The drawing shows the first picture in dark gray and the differences in colours on a "
     "logarithmic scale; beside and below it are the largest differences of each row and column. "
     "For folders FILE is a folder, with a drawing for each pair that is different. FILE may be "
     "neither a compared picture nor in a folder that is compared."},

    {0, "junit", "FILE", COMPARE | GOLDEN | TRY | CHECK_ONLY, FILE_NAME(junit),
     "also write the results as JUnit XML"},

    {0, "html", "FILE", GOLDEN | TRY | CHECK_ONLY, FILE_NAME(html),
     "write a report with pictures, in one file\n"
     "It shows the expected picture, the actual picture and the difference side by side or under a "
     "slider, failed cases first. For try it shows the verdict, the first wrong tile, and bars. It "
     "needs no other file and no network."},

    GROUP("Trying a kernel"),

    {0, "block", "WxH", TRY | ON_SCREEN, OWN(block),
     "threads of a block (default: as the file says)"},

    {0, "quick", NULL, TRY | ON_SCREEN, FLAG(quick), "try fewer cases"},

    {0, "seed", "N", TRY | ON_SCREEN, OWN(seed), "other numbers in the pictures and masks"},

    {0, "cases", "FILE", TRY | ON_SCREEN, FILE_NAME(cases),
     "further cases, which the verdict does not name\n"
     "A line of FILE is: width height mask_width [pitch]. In 1D the height is 1. A mask that the "
     "kernel does not take counts as wrong."},

    {0, "image", "IMAGE", TRY | ON_SCREEN, FILE_NAME(image),
     "a further case: the upper left part of a picture"},

    {0, "template", "NAME", TRY | ON_SCREEN, WORD(template_name, template_word),
     "print a file to begin with, with gaps to fill"},

    GROUP("Help"),

    {'h', NULL, NULL, ALL, FLAG(help_short),
     "print one screen of help; after a command, its own"},

    {0, "help", NULL, ALL, FLAG(help_full),
     "print all help; after a command, all of its own"},

    {0, "version", NULL, ALL, FLAG(version), "print the version and what is built in"},
    {0, "man", NULL, ALL | HIDDEN, FLAG(man), "the man page, in roff"},

    {0, "completion", "SHELL", ALL | HIDDEN, WORD(completion, shell_word),
     "the completions for a shell"},
};
/* clang-format on */

const struct option_spec *option_next(const struct option_spec *after, unsigned commands)
{
    const struct option_spec *spec = after ? after + 1 : option_table;
    while (spec < option_table + OPTION_ROWS &&
           ((spec->commands & HIDDEN) || !(spec->commands & commands)))
        spec++;
    return spec < option_table + OPTION_ROWS ? spec : NULL;
}

const struct option_spec *option_find(char letter, const char *name, size_t length)
{
    for (int i = 0; i < OPTION_ROWS; i++) {
        const char *known = option_table[i].name;
        if ((letter && option_table[i].letter == letter) ||
            (name && known && strlen(known) == length && memcmp(known, name, length) == 0))
            return &option_table[i];
    }
    return NULL;
}
