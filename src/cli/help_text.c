/* What --help and the man page say, in the order in which they say it. The lists of filters,
 * commands and options are made from their tables; everything else stands here: the formula, mask
 * files, borders, alpha, formats, folders, exit status, examples. Plain ASCII. A test checks that
 * every option that is named here exists. */
#include "cli/option_table.h"

/* clang-format off */
#define HEADING(title)    {.kind = HELP_HEADING, .text = title}
#define TEXT(words)       {.kind = HELP_TEXT, .text = words}
#define CODE(lines)       {.kind = HELP_CODE, .text = lines}
#define ENTRY(name, doc)  {.kind = HELP_ENTRY, .term = name, .text = doc}
#define MADE(list)        {.kind = list}

const struct help_block help_text[] = {
    HEADING("NAME"),
    TEXT("stencilcli - blur, sharpen and find edges; CPU and GPU results are bit-identical"),
    HEADING("SYNOPSIS"),
    MADE(HELP_SYNOPSIS),

    HEADING("DESCRIPTION"),
    TEXT("stencilcli blurs and sharpens pictures and finds their edges, with a filter from the "
         "list below or with a mask of your own. It runs on the CPU or on an NVIDIA GPU; the "
         "results are bit-identical."),
    TEXT("INPUT and OUTPUT are files, or folders (see FOLDERS); - is standard input or standard "
         "output. They may be the same file: the output is written to a temporary file, which is "
         "renamed when it is complete. A run that fails or is interrupted leaves the old file "
         "untouched and no temporary file behind."),
    TEXT("The output has the channels and the depth of the input: gray stays gray, RGBA stays "
         "RGBA, 16 bits stay 16 bits. If the output's format cannot hold them, an error says how "
         "to proceed."),
    TEXT("Each output sample is a weighted sum of the input samples around it, rounded exactly:"),
    CODE("out = clamp(floor((S + floor(d/2)) / d), 0, max)\n"
         "S   = sum over the mask of w[i][j] * in[y + i - ay][x + j - ax]  +  o"),
    TEXT("w are the mask's weights and d is its divisor, both as whole numbers; o is the offset "
         "times d; (ax, ay) is the anchor; max is the largest sample value (255, 65535, or the "
         "maxval of a PNM file). Halves round up. The sum is exact, so the output never depends on "
         "the device, the kernel, the tile or the number of threads."),
    TEXT("This is correlation, as is usual for image filters: the mask is laid on the image as it "
         "is written. --flip turns the mask and its anchor by 180 degrees, which gives true "
         "convolution. For a symmetric mask the two are the same."),
    TEXT("A gradient filter has two masks, one for horizontal changes and one for vertical "
         "changes. With gx and gy, the sums over the two masks, its output is "
         "clamp(round(sqrt(gx^2 + gy^2))), computed exactly."),

    HEADING("FILTERS"),
    MADE(HELP_FILTERS),
    HEADING("COMMANDS"),
    MADE(HELP_COMMANDS),
    HEADING("OPTIONS"),
    TEXT("Options may stand anywhere; -- ends them. A value is the next word, or it follows an "
         "equals sign: --border mirror, --border=mirror. If an option is given twice, the last one "
         "counts."),
    MADE(HELP_OPTIONS),

    HEADING("MASK FILES"),
    TEXT("A mask file is text:"),
    CODE("# a comment\n"
         "divisor 256\n"
         "1  4  6  4  1\n"
         "4 16 24 16  4\n"
         "6 24 36 24  6\n"
         "4 16 24 16  4\n"
         "1  4  6  4  1"),
    TEXT("It holds rows of numbers, separated by blanks or commas. All rows have the same length. "
         "A mask is 1x1 to 255x255 cells, and its sides may be even. Numbers are exact: 4, -1/2, "
         "0.0625, 1e-3. These lines may stand before the rows:"),
    ENTRY("divisor D", "Divide the sum by D. The default is 1."),
    ENTRY("normalize", "Divide by the sum of the weights. Not together with a divisor."),
    ENTRY("offset O", "Add O after the division; 50% is half of the range."),
    ENTRY("anchor X Y", "The cell that lies on the output sample. The default is the middle."),
    TEXT("The value of --mask is a file, a bare name, rows in place ('1 2 1; 2 4 2; 1 2 1'), or - "
         "for standard input. A bare name is looked for in the current folder, then in the folders "
         "of STENCILCLI_MASKS, then among the installed masks, with and without .txt. --divisor, "
         "--offset and --anchor replace what the file says."),

    HEADING("BORDERS"),
    TEXT("A border says what the cells outside the image hold (the ghost cells), here for a row "
         "a b c d. Masks may be larger than the image."),
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
         "profiles and other metadata are kept from PNG to PNG; otherwise they are dropped with a "
         "warning. Where a format has no maxval, samples are scaled to 255 or 65535."),
    ENTRY("png", "Gray or colour, with or without alpha, 8 or 16 bits."),
    ENTRY("jpeg", "Gray or colour, 8 bits, no alpha. A photo's orientation is applied."),
    ENTRY("bmp", "Colour, with or without alpha, 8 bits. Gray is written as equal RGB."),
    ENTRY("pgm", "Gray, 8 or 16 bits, any maxval."),
    ENTRY("ppm", "Colour, 8 or 16 bits, any maxval. Gray is written as equal RGB."),
    ENTRY("pam", "Gray or colour, with or without alpha, 8 or 16 bits, any maxval."),
    ENTRY("pnm", "pgm for gray, ppm for colour."),

    HEADING("FOLDERS"),
    TEXT("If INPUT is a folder, OUTPUT is a folder too. Every image below INPUT (see --include) is "
         "filtered into the same tree below OUTPUT. The bytes are those of filtering each file "
         "alone. Files are started in the order of their names: small files run on one core each, "
         "large files on all cores. Files in progress use at most half of the free memory (or of "
         "the limit of the cgroup or of `ulimit -v`), and each thread keeps up to 32 MiB besides. "
         "A file that needs more runs alone."),
    TEXT("If a file fails, its name and the reason are printed and the other files are still "
         "filtered; the exit status is then 1. On a terminal a progress line is shown; elsewhere "
         "--verbose prints such a line every ten seconds. A summary is printed at the end; its "
         "times of work are sums over all files. --json prints one line per file, in the order of "
         "names. A byte of a name that is not UTF-8 is printed there as \\udcNN, as by Python's "
         "os.fsencode."),
    TEXT("The file OUTPUT/.stencilcli-manifest.jsonl records what is finished: the name, size and "
         "time of each input and output, and the recipe (mask, options, version and INPUT). In "
         "the next run finished, unchanged files are skipped, so an interrupted run can be "
         "continued; --force filters all files again. The next run also removes temporary files "
         "that a killed run has left. Several runs at once do no harm. Each shard writes a "
         "manifest of its own, and every run reads all of them."),
    TEXT("The output folder must not lie inside the input folder, and no output may be written "
         "into the input folder. Symlinks are followed if they stay inside INPUT."),

    HEADING("SIGNALS"),
    TEXT("The command signal filters one-dimensional samples. Its mask has one row or one column, "
         "or is a Gaussian by --sigma. The content of INPUT decides which of these formats it is. "
         "Audio needs a build with libsndfile."),
    ENTRY("text", "Numbers as in a mask file, separated by blanks, commas or lines; # begins a "
          "comment. Each number is replaced by its output, everything else is kept. The output is "
          "exact, neither rounded nor clamped: a decimal number where it ends, else a fraction. "
          "--decimals rounds it."),
    ENTRY("wav, flac, aiff", "Samples of 8, 16, 24 or 32 bits; floating-point samples are refused. "
          "Each channel is filtered by itself. Samples are rounded like those of images and "
          "clamped to their range. The output's format is that of its extension; with any other "
          "extension it is text, with one line for the samples of one moment."),

    HEADING("BENCH"),
    TEXT("The command bench times every 2D kernel on IMAGE, or on a generated picture (--size, "
         "--channels, --depth). The mask is gauss5, or that of --mask, --sigma or --radius; "
         "--border sets the border. Before a kernel is timed, its output is compared with that of "
         "the reference: all of it for small pictures, else three bands of rows at the top, middle "
         "and bottom. Then the kernel is warmed up and runs at least ten times and for at least a "
         "second. The table shows the median time and the median distance from it."),
    TEXT("For CUDA kernels only the kernel's own time on the device is measured. The data is "
         "already on the device, for the textbook's kernels as float planes. (With --alpha "
         "weighted it is there as pixels, and the time includes making the planes and dividing "
         "them.) Inputs are used in turn, so that none is in the cache. CPU kernels are timed as a "
         "whole. The reference is slow: it runs three times, on some of the rows. Next to the time "
         "the table shows the speed as a share of copying as many bytes, the operations per "
         "second, the speed-up over basic, and how many times fewer loads the analysis of reuse "
         "predicts."),
    TEXT("--plot draws a roofline: the roof is the measured speed of the device, and each kernel "
         "is a point below it. With --sweep it draws time against the width of the tile or mask. "
         "Notes after the table say which numbers are less reliable."),

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
    TEXT("Of two folders, the files whose names are those of pictures are compared. Files that "
         "stencilcli itself keeps beside its outputs are skipped. Symlinks are followed."),

    HEADING("GOLDEN"),
    TEXT("A suite is a text file. Each of its lines holds a checksum, the name of a picture, and "
         "the shell command that writes it. SUITE may be a folder that contains golden.txt."),
    CODE("# a comment\n"
         "inputs photo.png logos/*.png\n"
         "642476590b844684  out.ppm   stencilcli blur photo.png out.ppm\n"
         "0                 big.png   convert photo.png -resize 200% big.png\n"
         "    tolerance max-diff 1 max-fail-percent 2: versions round differently\n"
         "1f68dec4921a658b  renders/title.png\n"
         "-                 -         stencilcli mask gauss5"),
    TEXT("Each command runs in a folder of its own, with copies of the files that the inputs line "
         "above it names (patterns, below the suite's folder). There, stencilcli is this program. "
         "A picture without a command is a file beside the suite. If the name is -, the command "
         "writes no picture and must end with exit status 0. The checksum is taken over the "
         "decoded samples; 0 means that none has been recorded yet. Only record changes the suite; "
         "if a command fails, it changes nothing."),
    ENTRY("tolerance", "Stands below a case: limits as in compare but without dashes, a colon, and "
          "the reason. The picture is then compared with the one in the folder expected beside the "
          "suite, where record keeps it."),
    ENTRY("keep", "For the cases below, record also keeps the pictures in that folder, so that a "
          "report can show what was expected."),
    ENTRY("timeout S", "Commands below may take S seconds; the default is 120."),
    ENTRY("strict", "Commands below may leave no file behind except their picture."),

    HEADING("EXIT STATUS"),
    ENTRY("0", "Done."),
    ENTRY("1", "An input or an output failed."),
    ENTRY("2", "A usage error: a bad option or a bad mask."),
    ENTRY("3", "The device that was asked for is not there."),
    ENTRY("4", "compare, golden or --verify found a difference."),
    ENTRY("128+N", "Ended by signal N."),

    HEADING("ENVIRONMENT"),
    ENTRY("STENCILCLI_MASKS",
          "Folders with masks, separated by colons. They are searched before the installed masks."),
    ENTRY("OMP_NUM_THREADS, SLURM_CPUS_PER_TASK",
          "The largest number of threads, unless --threads is given."),
    ENTRY("SLURM_..., AWS_BATCH_..., JOB_COMPLETION_INDEX, OMPI_..., PMI_...",
          "Read by --shard auto."),

    HEADING("FILES"),
    ENTRY("share/stencilcli/masks/*.txt",
          "The installed masks, below the folder in which the program is installed. The command "
          "`stencilcli list masks` shows all masks that a bare name can find."),
    ENTRY("OUTPUT/.stencilcli-manifest.jsonl", "The record of finished files of a run over a "
          "folder. A shard's is called .stencilcli-manifest-I-of-N.jsonl."),

    HEADING("EXAMPLES"),
    CODE("stencilcli blur in.png out.png\n"
         "stencilcli blur in.png out.png --mask gauss5\n"
         "stencilcli gauss photo.jpg soft.jpg --sigma 2.5 --border mirror\n"
         "stencilcli convolve in.png out.png --mask '0 -1 0; -1 5 -1; 0 -1 0'\n"
         "stencilcli sobel in.png edges.png --device cuda --time\n"
         "stencilcli emboss - - < in.ppm > out.ppm\n"
         "stencilcli blur photos blurred --exclude 'raw/**' --ext png\n"
         "stencilcli sharpen . ../out --files-from list.txt\n"
         "stencilcli gauss photos soft --sigma 2 --shard 3/8\n"
         "stencilcli blur in.png out.png --kernel tiled --plan\n"
         "stencilcli mask --sigma 1.4 > mymask.txt\n"
         "stencilcli signal in.txt out.txt --mask '1 2 1' --divisor 4\n"
         "stencilcli signal voice.wav soft.flac --sigma 3\n"
         "stencilcli bench photo.png --mask gauss7 --plot roofline.svg\n"
         "stencilcli bench --size 8192x8192 --sweep tile --kernel basic,tiled\n"
         "stencilcli bench --channels 4 --depth 16 --alpha weighted --sigma 2\n"
         "stencilcli compare golden.png out.png --max-diff 1"),
    MADE(HELP_END),
};
/* clang-format on */
