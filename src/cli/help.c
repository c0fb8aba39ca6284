/* -h, --help, --version, and the man page (--man). The lists of options, commands and filters are
 * made from their tables; all other text stands here. Both are blocks, which are laid out as plain
 * text, 80 columns wide, or in roff's man macros. The build runs `stencilcli --man >
 * stencilcli.1`, so that page and program always agree. */
#include "base/text.h"
#include "cli/option_table.h"

#include <ctype.h>
#include <string.h>

#include "signal/audio.h"

#define COLUMNS     80
#define TEXT_INDENT 2
#define ENTRY_TEXT  14   /* where the text of an entry begins */
#define DOC_COLUMN  26   /* where the docs of the one screen begin */
#define TEXT_CHARS  1024 /* of a block that is made from the tables */

/* A screen has 24 rows: so many for options, the others for the prompt, usage, example, text. */
#define SCREEN_OPTIONS 17

/* ---- the text ---- */

enum help_kind {
    HELP_HEADING,
    HELP_SUBHEADING,
    HELP_TEXT,  /* a paragraph */
    HELP_CODE,  /* lines as they stand */
    HELP_ENTRY, /* a term, its argument or NULL, and what it means */
    /* Made from the tables: */
    HELP_SYNOPSIS,
    HELP_FILTERS,
    HELP_COMMANDS,
    HELP_OPTIONS
};

struct help_block {
    enum help_kind kind;
    const char *text;
    const char *term, *argument;              /* HELP_ENTRY only */
    enum { IN_ORDER, LEADS, MAN_ONLY } place; /* HELP_HEADING only: of the section in --help */
};

/* The whole text of --help and of the man page, in its order. Plain ASCII. A test checks that every
 * option that is named here exists. */
/* clang-format off */
#define HEADING(title)    {.kind = HELP_HEADING, .text = title}
#define PLACED(title, in) {.kind = HELP_HEADING, .text = title, .place = in}
#define TEXT(words)       {.kind = HELP_TEXT, .text = words}
#define CODE(lines)       {.kind = HELP_CODE, .text = lines}
#define ENTRY(name, doc)  {.kind = HELP_ENTRY, .term = name, .text = doc}
#define MADE(list)        {.kind = list}

static const struct help_block help_text[] = {
    PLACED("NAME", MAN_ONLY),
    TEXT("stencilcli - blur, sharpen and find edges; CPU and GPU results are bit-identical"),
    PLACED("SYNOPSIS", LEADS),
    MADE(HELP_SYNOPSIS),

    HEADING("DESCRIPTION"),
    TEXT("stencilcli blurs and sharpens pictures and finds their edges, with a filter from the "
         "list below or with a mask of your own. It runs on the CPU or on an NVIDIA GPU; the "
         "results are bit-identical."),
    TEXT("INPUT and OUTPUT are files, or folders (see FOLDERS); - is standard input or standard "
         "output. INPUT and OUTPUT may be the same file: the output is written to a temporary "
         "file, which is renamed when it is complete. A run that fails or is interrupted leaves "
         "the old file untouched and no temporary file behind."),
    TEXT("The output has the channels and the depth of the input: gray stays gray, RGBA stays "
         "RGBA, 16 bits stay 16 bits. If the output's format cannot hold these channels or this "
         "depth, an error says how to proceed."),

    HEADING("FILTERS"),
    MADE(HELP_FILTERS),
    HEADING("COMMANDS"),
    MADE(HELP_COMMANDS),
    HEADING("OPTIONS"),
    TEXT("Options may stand anywhere; -- ends them. A value is the next word, or it follows an "
         "equals sign: --border mirror, --border=mirror. If an option is given twice, the last one "
         "counts."),
    MADE(HELP_OPTIONS),

    HEADING("EXIT STATUS"),
    ENTRY("0", "Done."),
    ENTRY("1", "An input or an output failed; a file for try does not compile or misbehaves."),
    ENTRY("2", "A usage error: a bad option or a bad mask."),
    ENTRY("3", "The device that was asked for is not there."),
    ENTRY("4", "compare, golden or --verify found a difference, or try a wrong kernel."),
    ENTRY("128+N", "Ended by signal N."),

    HEADING("ENVIRONMENT"),
    ENTRY("STENCILCLI_MASKS",
          "Folders with masks, separated by colons. They are searched before the installed masks."),
    ENTRY("OMP_NUM_THREADS, SLURM_CPUS_PER_TASK",
          "The largest number of threads, unless --threads is given."),
    ENTRY("SLURM_..., AWS_BATCH_..., JOB_COMPLETION_INDEX, OMPI_..., PMI_...",
          "Read by --shard auto."),
    ENTRY("PAGER", "The program that shows --help on a terminal: the default is less -FRX, or else "
          "more. If PAGER is empty or cat, or TERM is dumb, --help is printed as a whole."),

    HEADING("FILES"),
    ENTRY("share/stencilcli/masks/*.txt",
          "The installed masks, below the folder in which the program is installed. The command "
          "`stencilcli list masks` shows all masks that a bare name can find."),
    ENTRY("OUTPUT/.stencilcli-manifest.jsonl", "The record of finished files of a run over a "
          "folder. The record of a shard is called .stencilcli-manifest-I-of-N.jsonl."),

    HEADING("MASK FILES"),
    TEXT("A mask file holds the weights of a filter, as text:"),
    CODE("# a comment\n"
         "divisor 256\n"
         "1  4  6  4  1\n"
         "4 16 24 16  4\n"
         "6 24 36 24  6\n"
         "4 16 24 16  4\n"
         "1  4  6  4  1"),
    TEXT("It holds rows of numbers, separated by blanks or commas. All rows have the same length. "
         "A mask is 1x1 to 255x255 cells, or one row or column of up to 6001, and its sides may be "
         "even. Numbers are exact: 4, -1/2, 0.0625, 1e-3. These lines may stand before "
         "or after the rows:"),
    ENTRY("divisor D", "Divide the sum by D. The default is 1."),
    ENTRY("normalize", "Divide by the sum of the weights. Not together with a divisor."),
    ENTRY("offset O", "Add O after the division; 50% is half of the range."),
    ENTRY("anchor X Y", "The cell that lies on the output sample. The default is the middle."),
    TEXT("The value of --mask is a file, a bare name, rows in place ('1 2 1; 2 4 2; 1 2 1'), or - "
         "for standard input. A bare name is looked for in the current folder, then in the folders "
         "of STENCILCLI_MASKS, then among the installed masks, with and without .txt. --divisor, "
         "--normalize, --offset and --anchor replace what the file says."),

    HEADING("BORDERS"),
    TEXT("A filter also needs values outside the image (ghost cells). The border decides these "
         "values, here for a row a b c d. Masks may be larger than the image."),
    CODE("replicate   a a a | a b c d | d d d   the closest cell (the default)\n"
         "zero        0 0 0 | a b c d | 0 0 0\n"
         "constant:V  V V V | a b c d | V V V   V a sample value, or N% of max\n"
         "reflect     c b a | a b c d | d c b   the edge is repeated\n"
         "mirror      d c b | a b c d | c b a   the edge is not repeated\n"
         "wrap        b c d | a b c d | a b c   periodic"),

    HEADING("ALPHA"),
    ENTRY("weighted", "The default. Colour is filtered weighted by alpha, so that cut-outs get no "
          "dark halo; alpha is filtered without gain or offset. If the mask has negative weights, "
          "ignore is used instead."),
    ENTRY("ignore", "Colour is filtered as if there were no alpha, and alpha is copied."),
    ENTRY("plain", "Alpha is filtered like one more colour channel."),
    ENTRY("drop", "Like weighted, but the alpha channel is left out of the output, for formats "
          "that cannot hold it."),

    HEADING("FORMATS"),
    TEXT("An input's format is recognised by its first bytes. The output's format is that of its "
         "extension or of --format. Palettes become RGB or RGBA; 1, 2 and 4 bits become 8. Colour "
         "profiles and other metadata are carried between PNG, JPEG, WebP and TIFF; otherwise they "
         "are dropped with a warning. Where a format has no maxval, samples are scaled to 255 or "
         "65535. `stencilcli list formats` says which formats this build reads and writes."),
    ENTRY("png", "Gray or colour, with or without alpha, 8 or 16 bits."),
    ENTRY("jpeg", "Gray or colour, 8 bits, no alpha. A photo's orientation is applied. Colour is "
          "sampled as in the input if it is a JPEG, else for 2x2 pixels at once up to quality 90."),
    ENTRY("webp", "Colour, with or without alpha, 8 bits. Gray is written as equal RGB. Lossless "
          "unless --quality is given. An orientation is applied. Not in every build."),
    ENTRY("tiff", "Gray or colour, with or without alpha, 8 or 16 bits, also BigTIFF. All pages "
          "are filtered into another TIFF; other formats get the first one. An orientation is "
          "applied. Not in every build."),
    ENTRY("bmp", "Colour, with or without alpha, 8 bits. Gray is written as equal RGB."),
    ENTRY("tga", "Gray or colour, with or without alpha, 8 bits. Read only from files named .tga."),
    ENTRY("gif", "Only read: the first picture."),
    ENTRY("psd", "Only read: the merged picture. RGB, perhaps with alpha, 8 or 16 bits."),
    ENTRY("pbm", "Only read: black and white become gray, 0 and 255."),
    ENTRY("pgm", "Gray, 8 or 16 bits, any maxval."),
    ENTRY("ppm", "Colour, 8 or 16 bits, any maxval. Gray is written as equal RGB."),
    ENTRY("pam", "Gray or colour, with or without alpha, 8 or 16 bits, any maxval."),
    ENTRY("pnm", "pgm for gray, ppm for colour. Pictures that follow each other (pgm, ppm, pam) "
          "are all filtered."),
    ENTRY("y4m", "Video: each plane of each frame is filtered by itself, to the end of the "
          "stream. Written only from y4m."),

    HEADING("FOLDERS"),
    TEXT("If INPUT is a folder, OUTPUT is a folder too. Every image below INPUT (see --include) is "
         "filtered into the same tree below OUTPUT. The bytes are those of filtering each file "
         "alone. Files are started in the order of their names. Small files run on one core each, "
         "large files on all cores. Files in progress use at most half of the free memory (or of "
         "the limit of the cgroup or of `ulimit -v`), and each thread keeps up to 32 MiB besides. "
         "A file that needs more runs alone. Such a limit allows one thread per 64 MiB."),
    TEXT("Several files are filtered into a folder as cp copies them: stencilcli FILTER FILES... "
         "FOLDER. Each output has the name of its file. The folder is made if it is missing; to "
         "make it for a single file, write FOLDER/. An output never replaces one of the files. Of "
         "two files with one name the second fails. All files are filtered each time, and no "
         "manifest is written."),
    TEXT("Files whose extension is that of no image are passed over, counted by extension and "
         "listed by --json. If there is no image at all, the exit status is 1."),
    TEXT("If a file fails, its name and the reason are printed and the other files are still "
         "filtered; the exit status is then 1. On a terminal a progress line is shown; elsewhere "
         "--verbose prints such a line every ten seconds. A summary is printed at the end; the "
         "times of work in the summary are sums over all files. --json prints one line per file, "
         "in the order of names. In JSON, a byte of a name that is not UTF-8 is printed as "
         "\\udcNN, as by Python's os.fsdecode."),
    TEXT("The file OUTPUT/.stencilcli-manifest.jsonl records what is finished: the name, size and "
         "time of each input and output, and the recipe (mask, options, version and INPUT). In "
         "the next run finished, unchanged files are skipped, so an interrupted run can be "
         "continued; --force filters all files again. The next run also removes temporary files "
         "that a killed run has left. Several runs at once do no harm. Each shard writes a "
         "manifest of its own, and every run reads all of them."),
    TEXT("The output folder must not lie inside the input folder, and no output may be written "
         "into the input folder. Symlinks are followed if they stay inside INPUT, but not to a "
         "folder that they lie in. A picture with several paths has an output for each path."),

    HEADING("SIGNALS"),
    TEXT("The command signal filters one-dimensional samples. Its mask has one row or one column, "
         "or is a Gaussian by --sigma. The content of INPUT decides its format. Audio needs a "
         "build with libsndfile."),
    ENTRY("text", "Numbers as in a mask file, separated by blanks, commas or lines; # begins a "
          "comment. Each number is replaced by its output; all other text is kept. The output is "
          "exact, neither rounded nor clamped. It is a decimal number if the decimal ends, else a "
          "fraction. --decimals rounds the output."),
    ENTRY("wav, flac, aiff", "Samples of 8, 16, 24 or 32 bits; floating-point samples are refused. "
          "Each channel is filtered by itself. Samples are rounded like those of images and "
          "clamped to their range. The output's format is that of its extension; with any other "
          "extension the output is text, with one line for the samples of one moment."),

    HEADING("BENCH"),
    TEXT("The command bench times every 2D kernel on IMAGE, or on a generated picture (--size, "
         "--channels, --depth). The mask is gauss5, or that of --mask, --sigma or --radius; "
         "--border sets the border. Before a kernel is timed, its output is compared with that of "
         "the reference: all of it for small pictures, else three bands of rows at the top, middle "
         "and bottom. Then the kernel is warmed up and runs at least ten times and for at least a "
         "second. The table shows the median time and the median distance from the median time."),
    TEXT("For CUDA kernels only the kernel's own time on the device is measured. The data is "
         "already on the device. The textbook's kernels find it there as float planes. (With "
         "--alpha weighted they find pixels, and the time includes making the planes and dividing "
         "them.) Several inputs are used in turn, so that no input is in the cache. CPU kernels "
         "are timed as a whole. The reference is slow, so it runs only three times, on some of the "
         "rows. Next to the time the table shows the speed as a share of copying as many bytes, "
         "the operations per second, the speed-up over basic, and how many times fewer loads the "
         "analysis of reuse predicts."),
    TEXT("The kernels basic, readonly, constant, cached and tiled are the ladder of the textbook, "
         "from its simplest to its fastest kernel: " TEXTBOOK "."),
    TEXT("--plot draws a roofline: the roof is the measured speed of the device, and each kernel "
         "is a point below it. With --sweep, --plot draws time against the width of the tile or "
         "mask. Notes after the table say which numbers are less reliable."),

    HEADING("COMPARING"),
    TEXT("The command compare checks whether two pictures have the same samples, whatever their "
         "file formats are. Its sums are exact whole numbers. It reads pictures row by row."),
    ENTRY("max, mean, rms", "The largest difference and its place, the mean absolute difference, "
          "and the root of the mean squared difference."),
    ENTRY("PSNR", "10 log10(max^2 / mean squared difference), in dB; inf for equal pictures."),
    ENTRY("SSIM", "Structural similarity (Wang and others, 2004) of each channel by itself; 1 for "
          "equal channels. Windows have 11x11 samples and lie inside the picture; they are "
          "weighted by a Gaussian of sigma 1.5; C1 = (0.01 max)^2, C2 = (0.03 max)^2. In smaller "
          "pictures the window is the largest odd size that fits."),
    TEXT("With --min-psnr or --min-ssim alone any number of samples may differ. If --max-diff or "
         "--max-fail-percent is given too, these limits must hold as well. Alpha is compared like "
         "any other channel, and colour is compared even where alpha is 0."),
    TEXT("If A and B are folders, the files in them with names of pictures are compared. Files "
         "that stencilcli itself keeps beside its outputs are skipped. Symlinks are followed."),

    HEADING("GOLDEN"),
    TEXT("A suite tests that programs still write the same pictures. It is a text file. Each line "
         "holds a checksum, the name of a picture, and the shell command that writes the picture. "
         "SUITE may be a folder that contains golden.txt."),
    CODE("# a comment\n"
         "inputs photo.png logos/*.png\n"
         "642476590b844684  out.ppm   stencilcli blur photo.png out.ppm\n"
         "0                 big.png   convert photo.png -resize 200% big.png\n"
         "    tolerance max-diff 1 max-fail-percent 2: versions round differently\n"
         "1f68dec4921a658b  renders/title.png\n"
         "-                 -         stencilcli mask gauss5"),
    TEXT("Each command runs in a folder of its own, with copies of the files that the inputs line "
         "above it names (patterns, below the suite's folder). In that folder the command "
         "stencilcli runs this program. A picture without a command is a file beside the suite. If "
         "the name is -, the command writes no picture and must end with exit status 0. The "
         "checksum is taken over the decoded samples; 0 means that none has been recorded yet. "
         "Only record changes the suite; if a command fails, record changes nothing."),
    ENTRY("tolerance", "Allows differences for the case above. The line holds limits as in compare "
          "but without dashes, then a colon, then the reason. The picture is then compared with "
          "the one in the folder expected beside the suite, where record keeps it."),
    ENTRY("keep", "For the cases below, record also keeps the pictures in that folder, so that a "
          "report can show what was expected."),
    ENTRY("timeout S", "Commands below, with the reading of their files and pictures, may take S "
          "seconds; the default is 120."),
    ENTRY("strict", "Commands below may leave no file behind except their picture."),

    HEADING("TRY"),
    TEXT("The C++ compiler of this machine (CXX, else g++ or clang++) compiles the kernel. It is "
         "run on the software GPU. With --device cuda a right kernel is also compiled by nvcc, run "
         "on the GPU and timed there, beside our own kernels. The last kernel of the file is "
         "tried. Its parameters have the textbook's names: N, P, M, Mask_Width, width, height, "
         "pitch (in elements), channels. M may be an array in constant memory. With a height the "
         "kernel is for pictures, else for one dimension."),
    TEXT("Tile and block come from the file's constants TILE_SIZE, TILE_WIDTH, O_TILE_WIDTH and "
         "BLOCK_WIDTH, and masks have at most MAX_MASK_WIDTH cells along an axis. Or the file has "
         "a function launch with such parameters, which launches the kernel. A comment says what "
         "the names do not say:"),
    CODE("// stencil: kernel=blur N=picture block=16x16 tile=12x12 border=wrap"),
    TEXT("Further keys are P, M, mask_width, width, height, pitch, channels (a parameter's name), "
         "dim (1 or 2), mask (a width), shared (bytes), template (arguments)."),
    TEXT("An output must be the sum of N[y - Mask_Width/2 + i][x - Mask_Width/2 + j] * M[i][j]. "
         "Ghost cells are 0 unless the comment says otherwise. All numbers are whole and small, so "
         "that float is exact."),
    TEXT("On the software GPU the file runs in a process of its own, with limits on time and "
         "memory. It can start no process, use no network, and open no file for writing. Where the "
         "kernel of the system has Landlock, it can read only the system's programs and libraries. "
         "This is no protection against errors in the kernel of the system or in the compiler. On "
         "a GPU the file runs with your rights: read it first."),

    HEADING("FORMULA"),
    TEXT("Each output sample is a weighted sum of the input samples around it, rounded exactly:"),
    CODE("out = clamp(floor((S + floor(d/2)) / d), 0, max)\n"
         "S   = sum over the mask of w[i][j] * in[y + i - ay][x + j - ax]  +  o"),
    TEXT("w are the mask's weights and d is its divisor, both as whole numbers; o is the offset "
         "times d; (ax, ay) is the anchor; max is the largest sample value (255, 65535, or the "
         "maxval of a PNM file). Halves round up. The sum is exact, so the output never depends on "
         "the device, the kernel, the tile or the number of threads."),
    TEXT("The formula is a correlation, as is usual for image filters: the mask is laid on the "
         "image as it is written. --flip turns the mask and its anchor by 180 degrees, which gives "
         "true convolution. For a symmetric mask, correlation and convolution are the same."),
    TEXT("A gradient filter has two masks, one for horizontal changes and one for vertical "
         "changes. With gx and gy, the sums over the two masks, its output is "
         "clamp(round(sqrt(gx^2 + gy^2) / d)), computed exactly."),

    PLACED("EXAMPLES", LEADS),
    CODE("stencilcli blur in.png out.png\n"
         "stencilcli gauss photo.jpg soft.jpg --sigma 2.5\n"
         "stencilcli unsharp photo.jpg crisp.jpg --sigma 1.5 --amount 0.8\n"
         "stencilcli sobel in.png edges.png\n"
         "stencilcli convolve in.png out.png --mask '0 -1 0; -1 5 -1; 0 -1 0'\n"
         "stencilcli convolve in.png out.jpg --mask gauss9 --border mirror\n"
         "stencilcli emboss - - < in.ppm > out.ppm"),
    TEXT("A folder, some files of a folder, a part of a folder:"),
    CODE("stencilcli blur photos/ blurred/ --exclude 'raw/**' --ext png\n"
         "stencilcli sharpen . ../out --files-from list.txt\n"
         "stencilcli gauss photos/ soft/ --sigma 2 --shard 3/8"),
    TEXT("What would run, and how long each kernel takes:"),
    CODE("stencilcli blur in.png --plan\n"
         "stencilcli bench photo.png --mask gauss7 --plot roofline.svg\n"
         "stencilcli bench --size 8192x8192 --sweep tile --kernel basic,tiled"),
    TEXT("Other commands:"),
    CODE("stencilcli mask --sigma 1.4 > mymask.txt\n"
         "stencilcli signal voice.wav soft.flac --sigma 3\n"
         "stencilcli compare golden.png out.png --max-diff 1\n"
         "stencilcli list filters"),

    PLACED("SEE ALSO", MAN_ONLY),
    TEXT("magick(1), vips(1), cmp(1)"),
    TEXT("In the source of stencilcli: docs/guide.md shows every task with its command, "
         "docs/promise.md defines every output sample, kernels/README.md explains the CUDA "
         "kernels."),
};
/* clang-format on */

/* ---- the plain writer ---- */

struct help_writer {
    FILE *out;
    bool roff;           /* else plain text */
    enum help_kind last; /* of the block before, for plain text */
};

static bool is_heading(enum help_kind kind)
{
    return kind == HELP_HEADING || kind == HELP_SUBHEADING;
}

/* Blank lines keep blocks apart, but not entries, nor a heading from the text below it. */
static void plain_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    const char *text = block->text;
    bool entries = block->kind == HELP_ENTRY && writer->last == HELP_ENTRY;
    if (is_heading(block->kind) || !(is_heading(writer->last) || entries))
        fputc('\n', out);
    if (block->kind == HELP_HEADING) {
        fprintf(out, "%s\n", text);
    } else if (block->kind == HELP_SUBHEADING) {
        fprintf(out, "%*s%s:\n", TEXT_INDENT, "", text);
    } else if (block->kind == HELP_TEXT) {
        fprintf(out, "%*s", TEXT_INDENT, "");
        text_wrap(out, text, TEXT_INDENT, COLUMNS - 1);
    } else if (block->kind == HELP_CODE) {
        for (int length; *text; text += length + (text[length] == '\n')) {
            length = (int)strcspn(text, "\n");
            fprintf(out, "%*s%.*s\n", 2 * TEXT_INDENT, "", length, text);
        }
    } else {
        int column = fprintf(out, "%*s%s%s%s", 2 * TEXT_INDENT, "", block->term,
                             block->argument ? " " : "", block->argument ? block->argument : "");
        bool beside = column + 2 <= ENTRY_TEXT;
        fprintf(out, "%s%*s", beside ? "" : "\n", ENTRY_TEXT - (beside ? column : 0), "");
        text_wrap(out, text, ENTRY_TEXT, COLUMNS - 1);
    }
}

/* ---- the writer of roff, for the man page ---- */

/* Prints LENGTH bytes of text. Characters that roff would interpret or print as another one are
 * escaped. A dot at the start of a line would be a request, as would a quote. */
static void roff_text(FILE *out, const char *text, size_t length)
{
    static const char special[] = "\\-'`^~\"";
    static const char *const escapes[] = {"e", "-", "(aq", "(ga", "(ha", "(ti", "(dq"};
    for (size_t i = 0; i < length; i++) {
        const char *found = strchr(special, text[i]);
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out);
        if (found)
            fprintf(out, "\\%s", escapes[found - special]);
        else
            fputc(text[i], out);
    }
}

static void roff_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    roff_text(out, text, strlen(text));
    fputs(after, out);
}

/* One sentence per line, as roff wants it: then it puts the right space between them. */
static void roff_sentences(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end + 1 - text) : strlen(text);
        roff_text(out, text, length);
        fputc('\n', out);
        text += length;
        text += strspn(text, " ");
    }
}

static void roff_put(struct help_writer *writer, const struct help_block *block)
{
    FILE *out = writer->out;
    if (block->kind == HELP_HEADING) {
        roff_between(out, ".SH \"", block->text, "\"\n");
    } else if (block->kind == HELP_SUBHEADING) {
        roff_between(out, ".SS \"", block->text, "\"\n");
    } else if (block->kind == HELP_TEXT) {
        fputs(".PP\n", out);
        roff_sentences(out, block->text);
    } else if (block->kind == HELP_CODE) {
        roff_between(out, ".PP\n.RS 4\n.nf\n", block->text, "\n.fi\n.RE\n");
    } else {
        roff_between(out, ".TP\n\\fB", block->term, "\\fR");
        if (block->argument)
            roff_between(out, " \\fI", block->argument, "\\fR");
        fputc('\n', out);
        roff_sentences(out, block->text);
    }
}

/* ---- texts from the tables ---- */

static void add_synopsis(char text[TEXT_CHARS], enum command_id id, const char *name)
{
    const char *operands = command_table[id].operands;
    text_append(text, TEXT_CHARS, "stencilcli %s%s%s%s", name ? name : "FILTER",
                *operands ? " " : "", operands,
                option_next(NULL, FOR(id))->letter == 'h' ? "" : " [options]"); /* only help */
}

/* The phrase of DOC (see cli/option_table.h) becomes a sentence that opens with a capital. */
static void sentences(char text[TEXT_CHARS], const char *doc)
{
    size_t phrase = strcspn(doc, "\n");
    snprintf(text, TEXT_CHARS, "%c%.*s.%s%s", toupper((unsigned char)doc[0]), (int)phrase - 1,
             doc + 1, doc[phrase] ? " " : "", doc[phrase] ? doc + phrase + 1 : "");
}

/* Removes the sentences that are for other commands only. */
static void drop_others(char *text, enum command_id command)
{
    static const struct {
        const char *start;
        enum command_id command;
    } owners[] = {{" For a folder", COMMAND_FILTER}, {" For signals", COMMAND_SIGNAL},
                  {" For reuse", COMMAND_REUSE},     {" For bench", COMMAND_BENCH},
                  {" For try", COMMAND_TRY},         {" Otherwise", COMMAND_COUNT}};
    for (size_t i = 0; command != COMMAND_COUNT && i < sizeof owners / sizeof owners[0]; i++) {
        char *at = strstr(text, owners[i].start);
        if (!at || command == owners[i].command)
            continue;
        const char *end = strstr(at, ". ");
        end = end ? end + 1 : at + strlen(at);
        memmove(at, end, strlen(end) + 1);
    }
}

/* What a filter or another command does; if not FULL, in one sentence. */
static void describe(char text[TEXT_CHARS], const char *name, bool full)
{
    const struct filter *filter = filter_find(name);
    sentences(text, command_doc(name));
    if (!full)
        text[strcspn(command_doc(name), "\n") + 1] = '\0'; /* the phrase and its full stop */
    if (filter && filter->default_mask)
        text_append(text, TEXT_CHARS, " Default %s: %s.",
                    filter->kind == PLAN_ORDER ? "window" : "mask", filter->default_mask);
}

static void put_block(struct help_writer *writer, const struct help_block *block)
{
    (writer->roff ? roff_put : plain_put)(writer, block);
    writer->last = block->kind;
}

static void put(struct help_writer *writer, enum help_kind kind, const char *text)
{
    put_block(writer, &(struct help_block){.kind = kind, .text = text});
}

static void put_entry(struct help_writer *writer, const char *term, const char *argument,
                      const char *text)
{
    put_block(writer, &(struct help_block){
                          .kind = HELP_ENTRY, .text = text, .term = term, .argument = argument});
}

static void put_synopsis(struct help_writer *writer)
{
    char lines[TEXT_CHARS] = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_append(lines, TEXT_CHARS, "%s", i > 0 ? "\n" : "");
        add_synopsis(lines, (enum command_id)i, command_table[i].name);
    }
    put(writer, HELP_CODE, lines);
}

/* The filters, or the other commands. */
static void put_names(struct help_writer *writer, bool filters)
{
    const char *name;
    for (int i = 0; (name = command_name(i)); i++) {
        enum command_id command = command_find(name);
        char text[TEXT_CHARS];
        if (filters != (command == COMMAND_FILTER))
            continue;
        describe(text, name, true);
        put_entry(writer, name, filters ? NULL : command_table[command].operands, text);
    }
}

/* If not all filters take the option, says behind TEXT which filters do or, if these are fewer,
 * which do not. */
static void add_filters(char text[TEXT_CHARS], const char *option)
{
    int count, takers = 0;
    const struct filter *filters = filter_table(&count);
    for (int i = 0; i < count; i++)
        takers += filter_takes(&filters[i], option);
    if (takers == count)
        return;
    bool listed = 2 * takers <= count;
    const char *before = listed ? " Filters: " : " Not for ";
    for (int i = 0; i < count; i++) {
        if (filter_takes(&filters[i], option) != listed)
            continue;
        text_append(text, TEXT_CHARS, "%s%s", before, filters[i].name);
        before = ", ";
    }
    text_append(text, TEXT_CHARS, ".");
}

/* "-m, --mask", "-h" or "--sigma". */
static void add_term(char text[TEXT_CHARS], const struct option_spec *spec)
{
    if (spec->letter)
        text_append(text, TEXT_CHARS, "-%c%s", spec->letter, spec->name ? ", " : "");
    if (spec->name)
        text_append(text, TEXT_CHARS, "--%s", spec->name);
}

/* COMMAND: whose help this is; COMMAND_COUNT: the help of all. */
static void put_option(struct help_writer *writer, const struct option_spec *spec,
                       enum command_id command)
{
    char term[TEXT_CHARS] = "", text[TEXT_CHARS], words[256];
    word_function *list = option_words(spec, command);
    add_term(term, spec);
    sentences(text, spec->doc);
    drop_others(text, command);
    if (list) {
        words_join(words, sizeof words, list);
        text_append(text, TEXT_CHARS, " %s is %s.", spec->argument, words);
    }
    if (command == COMMAND_COUNT && spec->name && (spec->commands & FOR(COMMAND_FILTER)))
        add_filters(text, spec->name);
    put_entry(writer, term, spec->argument, text);
}

/* Whether the command or filter NAME (NULL: any) takes an option of its set. */
static bool takes(const char *name, const struct option_spec *spec)
{
    const struct filter *filter = name ? filter_find(name) : NULL;
    return !filter || !spec->name || filter_takes(filter, spec->name);
}

/* The options of the command or filter NAME (NULL: of all), by group. */
static void put_options(struct help_writer *writer, const char *name)
{
    enum command_id command = name ? command_find(name) : COMMAND_COUNT;
    unsigned commands = name ? FOR(command) : FOR_ALL_COMMANDS;
    const struct option_spec *last_group = NULL;
    for (const struct option_spec *spec = NULL; (spec = option_next(spec, commands));) {
        const struct option_spec *group = spec;
        if (!takes(name, spec))
            continue;
        while (group->set)
            group--;
        if (group != last_group)
            put(writer, HELP_SUBHEADING, group->doc);
        last_group = group;
        put_option(writer, spec, command);
    }
}

static void put_made(struct help_writer *writer, const struct help_block *block)
{
    if (block->kind == HELP_SYNOPSIS)
        put_synopsis(writer);
    else if (block->kind == HELP_FILTERS || block->kind == HELP_COMMANDS)
        put_names(writer, block->kind == HELP_FILTERS);
    else if (block->kind == HELP_OPTIONS)
        put_options(writer, NULL);
    else
        put_block(writer, block);
}

/* Writes help_text: all sections in their order, or for --help first the sections that lead, then
 * the others. */
static void help_write(FILE *out, bool roff)
{
    struct help_writer *writer = &(struct help_writer){.out = out, .roff = roff};
    const struct help_block *end = help_text + sizeof help_text / sizeof *help_text;
    for (int leads = !roff; leads >= 0; leads--) {
        bool shown = false;
        for (const struct help_block *block = help_text; block < end; block++) {
            if (block->kind == HELP_HEADING)
                shown = roff || block->place == (leads ? LEADS : IN_ORDER);
            if (shown)
                put_made(writer, block);
        }
    }
}

/* ---- the whole texts ---- */

void options_print_full_help(FILE *out)
{
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
    help_write(out, false);
}

/* The usage and an example of a command or filter; of all if NAME is NULL. */
static void print_usage(FILE *out, const char *name)
{
    enum command_id id = name ? command_find(name) : COMMAND_FILTER;
    const struct filter *filter = name ? filter_find(name) : NULL;
    char line[TEXT_CHARS] = "";
    add_synopsis(line, id, name);
    fprintf(out, "usage: %s%s\n", strlen(line) > 69 ? "" : "   ", line); /* at most 79 columns */
    if (!name)
        fprintf(out, "example:  stencilcli gauss photo.jpg soft.jpg --sigma 2\n");
    else if (filter)
        fprintf(out, "example:  stencilcli %s photo.jpg out.jpg%s%s\n", name,
                *filter->example ? " " : "", filter->example);
    else
        fprintf(out, "example:  %s\n", command_table[id].example);
}

/* One line about an option, for one screen. */
static void print_option(FILE *out, const struct option_spec *spec)
{
    char term[TEXT_CHARS] = "";
    text_append(term, TEXT_CHARS, "%s", spec->letter ? "" : "    ");
    add_term(term, spec);
    text_append(term, TEXT_CHARS, "%s%s", spec->argument ? " " : "",
                spec->argument ? spec->argument : "");
    fprintf(out, "  %-*s %.*s\n", DOC_COLUMN - 3, term, (int)strcspn(spec->doc, "\n"), spec->doc);
}

/* -h, --help or --version */
static bool is_help(const struct option_spec *spec)
{
    return (spec->commands & FOR(COMMAND_HELP)) != 0;
}

void options_print_command_help(FILE *out, const char *name, bool full)
{
    struct help_writer writer = {.out = out};
    const struct option_spec *spec = NULL;
    unsigned commands = FOR(command_find(name));
    char text[TEXT_CHARS] = "";
    int rows = 0;
    bool more = false;

    print_usage(out, name);
    describe(text, name, full);
    if (full) {
        put(&writer, HELP_TEXT, text);
        put_options(&writer, name);
        fprintf(out, "\nMask files, borders, the formula and exit status: stencilcli --help\n");
        return;
    }
    text_wrap(out, text, 0, COLUMNS - 1);
    fputc('\n', out);
    while ((spec = option_next(spec, commands)))
        rows += takes(name, spec) && !is_help(spec);
    while ((spec = option_next(spec, commands))) {
        if (!takes(name, spec) || is_help(spec))
            continue;
        bool shown = rows <= SCREEN_OPTIONS || (spec->commands & ON_SCREEN);
        if (shown)
            print_option(out, spec);
        more = more || !shown;
    }
    if (more)
        fprintf(out, "More options%s: stencilcli %s --help\n",
                filter_find(name) ? ", also for folders" : "", name);
    else
        fprintf(out, "All about it: stencilcli %s --help\n", name);
}

void options_print_short_help(FILE *out)
{
    char filters[TEXT_CHARS] = "";
    const struct option_spec *spec = NULL;
    const char *name;

    print_usage(out, NULL);
    for (int i = 0; (name = command_name(i)) && filter_find(name); i++)
        text_append(filters, TEXT_CHARS, "%s%s", i ? " " : "", name);
    fprintf(out, "filters:  ");
    text_wrap(out, filters, 10, COLUMNS - 1);
    for (int i = COMMAND_FILTER + 1; i < COMMAND_COUNT; i++)
        if (i != COMMAND_HELP && i != COMMAND_VERSION) /* the last line names both */
            fprintf(out, "%-10s%-9s %.*s\n", i == COMMAND_FILTER + 1 ? "commands:" : "",
                    command_table[i].name, (int)strcspn(command_table[i].doc, "\n"),
                    command_table[i].doc);
    fprintf(out, "options:\n");
    while ((spec = option_next(spec, FOR(COMMAND_FILTER))))
        if (spec->letter && spec->name && !(spec->commands & FOR_FOLDERS))
            print_option(out, spec);
    fprintf(out, "All help: stencilcli --help; of one filter: stencilcli blur -h; also: version\n");
}

/* Without a date: the same source gives the same page. */
void options_print_man(FILE *out)
{
    roff_between(out, ".TH STENCILCLI 1 \"\" \"stencilcli ", STENCIL_VERSION,
                 "\" \"User Commands\"\n");
    help_write(out, true);
}

void options_print_version(FILE *out)
{
    fprintf(out, "stencilcli %s\n", STENCIL_VERSION);
#ifdef HAVE_CUDA
    fprintf(out, "CUDA: yes\n");
#else
    fprintf(out, "CUDA: no\n");
#endif
    fprintf(out, "audio: %s\n", audio_available() ? "libsndfile" : "no");
}
