/* What --help and the man page say besides the tables of options and commands:
 * the formula, mask files, borders, alpha, formats, exit status, examples. Plain
 * ASCII; the writers (cli/options_help.c, cli/options_man.c) do the layout. A name of an
 * option may stand here only if it is in the option table: a test compares. */
#include "cli/option_table.h"

static const struct doc_block description[] = {
    {DOC_TEXT, NULL,
     "Every sample of the output is a weighted sum of the input samples around it, exactly "
     "rounded:"},
    {DOC_CODE, NULL,
     "out = clamp(floor((S + floor(d/2)) / d), 0, max)\n"
     "S   = sum over the mask of w[i][j] * in[y + i - ay][x + j - ax]  +  o"},
    {DOC_TEXT, NULL,
     "w are the mask's weights and d its divisor, brought to whole numbers; o is the offset times "
     "d, (ax, ay) the anchor, max the largest sample value (255, 65535, or a PNM file's maxval). "
     "Halves round up. The sum is exact, so the output has the same bytes on GPU and CPU, and "
     "with every kernel, tile and number of threads."},
    {DOC_TEXT, NULL,
     "This is correlation: the mask is laid on the image as it is written, as is usual for image "
     "filters. --flip turns mask and anchor by 180 degrees and gives true convolution; for a "
     "symmetric mask the two are the same."},
    {DOC_TEXT, NULL,
     "The gradient filters (sobel, prewitt, scharr) give clamp(round(sqrt(gx^2 + gy^2))) of two "
     "masks, exactly."},
    {DOC_TEXT, NULL,
     "INPUT and OUTPUT are files, or folders (see FOLDERS); - is standard input or standard "
     "output. They may be the same "
     "file. The output is written beside its place and renamed when it is complete: a failed or "
     "interrupted run leaves nothing behind and the old file untouched. What comes in goes out: "
     "gray stays gray, RGBA stays RGBA, 16 bits stay 16 bits, and what the output's format cannot "
     "hold is an error that names the way out."},
    {0},
};

static const struct doc_block mask_files[] = {
    {DOC_TEXT, NULL, "A mask file is text:"},
    {DOC_CODE, NULL,
     "# a comment\n"
     "divisor 256\n"
     "1  4  6  4  1\n"
     "4 16 24 16  4\n"
     "6 24 36 24  6\n"
     "4 16 24 16  4\n"
     "1  4  6  4  1"},
    {DOC_TEXT, NULL,
     "Rows of numbers separated by blanks or commas, all of one length, from 1x1 to 255x255, even "
     "sizes too. A number is exact: 4, -1/2, 0.0625, 1e-3. Before the rows there may be:"},
    {DOC_TERM, "divisor D", "Divide the sum by D. The default is 1."},
    {DOC_TERM, "normalize", "Divide by the sum of the weights; not beside a divisor."},
    {DOC_TERM, "offset O", "Add O after the division; 50% is half of the range."},
    {DOC_TERM, "anchor X Y", "The cell that lies on the output sample; the default is the middle."},
    {DOC_TEXT, NULL,
     "--mask takes a file, a bare name, rows in place ('1 2 1; 2 4 2; 1 2 1'), or - for standard "
     "input. A name is looked for as given, then in the folders of STENCILCLI_MASKS, then among "
     "the installed masks, with and without .txt. --divisor, --offset and --anchor take the place "
     "of what the file says."},
    {0},
};

static const struct doc_block borders[] = {
    {DOC_TEXT, NULL,
     "What the cells outside the image hold (the ghost cells), for a row a b c d. All hold for "
     "masks larger than the image too."},
    {DOC_CODE, NULL,
     "replicate   a a a | a b c d | d d d   the closest cell (the default)\n"
     "zero        0 0 0 | a b c d | 0 0 0\n"
     "constant:V  V V V | a b c d | V V V   V a sample value, or N% of max\n"
     "reflect     c b a | a b c d | d c b   the edge is repeated\n"
     "mirror      d c b | a b c d | c b a   the edge is not repeated\n"
     "wrap        b c d | a b c d | a b c   periodic"},
    {0},
};

static const struct doc_block alpha[] = {
    {DOC_TERM, "weighted",
     "Colour is filtered weighted by alpha, so that cut-outs get no dark halo, and alpha is "
     "filtered without gain or offset. The default; a mask with negative weights is filtered as "
     "with ignore."},
    {DOC_TERM, "ignore", "Colour is filtered plainly, alpha is kept as it is."},
    {DOC_TERM, "plain", "Alpha is one more channel."},
    {DOC_TERM, "drop",
     "As weighted, and the alpha channel is left out of the output: for formats that have none."},
    {0},
};

static const struct doc_block formats[] = {
    {DOC_TEXT, NULL,
     "An input's format is recognised by its first bytes, the output's is that of its extension or "
     "of --format. Palettes become RGB or RGBA, 1, 2 and 4 bits become 8. Colour profiles and "
     "other metadata are kept from PNG to PNG, else not; one line says so. Where a format has no "
     "maxval, samples are scaled to 255 or 65535."},
    {DOC_TERM, "png", "Gray or colour, with or without alpha, 8 or 16 bits."},
    {DOC_TERM, "jpeg", "Gray or colour, 8 bits, no alpha. A photo's orientation is applied."},
    {DOC_TERM, "bmp", "Colour, with or without alpha, 8 bits; gray is written as equal RGB."},
    {DOC_TERM, "pgm", "Gray, 8 or 16 bits, any maxval."},
    {DOC_TERM, "ppm", "Colour, 8 or 16 bits, any maxval; gray is written as equal RGB."},
    {DOC_TERM, "pam", "Gray or colour, with or without alpha, 8 or 16 bits, any maxval."},
    {DOC_TERM, "pnm", "pgm for gray, ppm for colour."},
    {0},
};

static const struct doc_block folders[] = {
    {DOC_TEXT, NULL,
     "Where INPUT is a folder, OUTPUT is one too, and every image below INPUT (by its extension; "
     "see --include) is filtered into the same tree below OUTPUT, with the same bytes as alone. "
     "Files begin in the order of their names, small ones on a core each, large ones on all. Those "
     "in flight take at most half of the free memory, or of the limit of the cgroup or of `ulimit "
     "-v`, and a thread keeps up to 32 MiB beside; a file that needs more runs alone."},
    {DOC_TEXT, NULL,
     "A file that fails is named with its reason, and the rest goes on; the exit status is then 1. "
     "On a terminal a line shows the progress, with -v a line every ten seconds does. A summary "
     "comes at the end; work is added up over the files. --json prints one line a file, in their "
     "order; a byte of a name that is no UTF-8 is \\udcNN there, as in Python's os.fsencode."},
    {DOC_TEXT, NULL,
     "OUTPUT/.stencilcli-manifest.jsonl notes what was done: name, size and time of input and "
     "output, and the recipe (mask, options, version, INPUT). The next run passes over what is "
     "noted and unchanged, so that a run which was killed goes on where it was; --force does all "
     "again. "
     "Temporaries that a killed run has left are removed by the next. Several runs at once do no "
     "harm. A shard keeps a manifest of its own, and all are read."},
    {DOC_TEXT, NULL,
     "Folders that would feed on themselves are refused: OUTPUT inside INPUT, or outputs that "
     "would be written into INPUT. Symlinks are followed where they stay inside INPUT."},
    {0},
};

static const struct doc_block signals[] = {
    {DOC_TEXT, NULL,
     "The command signal filters samples with a mask of one row (or one column, or a Gaussian by "
     "--sigma). What INPUT holds decides what it is; the audio formats are for builds with "
     "libsndfile."},
    {DOC_TERM, "text",
     "Numbers as in a mask, separated by blanks, commas or lines; # begins a comment. In place of "
     "each number stands its output, and everything else is kept. The output is exact, neither "
     "rounded nor clamped: a decimal where it ends, else a fraction, or rounded by --decimals."},
    {DOC_TERM, "wav, flac, aiff",
     "Samples of 8, 16, 24 or 32 bits. They are rounded as those of images and clamped to their "
     "range, every channel by itself. The output's format is that of its extension; with any other "
     "extension it is text, a line for the samples of one moment. Floats are refused."},
    {0},
};

static const struct doc_block bench[] = {
    {DOC_TEXT, NULL,
     "The command bench times every 2D kernel on IMAGE, or on a picture of its own (--size, "
     "--channels, --depth), with the mask of --mask (gauss5), --sigma or --radius and the border "
     "of --border. Before a kernel is timed its output is "
     "compared with the reference's: all of it for small pictures, else three bands of rows at "
     "top, "
     "middle and bottom. Then it is warmed up and run at least ten times and for a second; the "
     "table has the median and the median distance to it."},
    {DOC_TEXT, NULL,
     "CUDA kernels are timed on the device and alone: the data lies there, on float planes for the "
     "textbook's kernels (with --alpha weighted on pixels, planes made and divided included), and "
     "inputs are taken in turn so that none lies in the cache. CPU kernels are timed as a whole. "
     "The reference is slow: three runs on some of the rows. Beside the time "
     "stand the share of a copy of as many bytes, the operations a second, the speed-up over "
     "basic, "
     "and how many times fewer loads the analysis of reuse predicts."},
    {DOC_TEXT, NULL,
     "--plot draws a roofline: what was measured of the device as its roof, each kernel a point "
     "below it. With --sweep it draws time against the width of tile or mask. Sentences after the "
     "table say where numbers cannot be trusted much."},
    {0},
};

static const struct doc_block comparing[] = {
    {DOC_TEXT, NULL,
     "The command compare says whether two pictures have the same samples, whatever their file "
     "formats are. The sums that it makes are whole numbers; rows are read as they are needed."},
    {DOC_TERM, "max, mean, rms",
     "The largest difference and its place, the mean of the differences without their signs, the "
     "root of the mean of their squares."},
    {DOC_TERM, "PSNR", "10 log10(max^2 / mean of squares), in dB; inf for equal pictures."},
    {DOC_TERM, "SSIM",
     "Structural similarity (Wang and others, 2004) of each channel by itself, 1 for equal ones: "
     "windows of 11x11 samples inside the picture, weighted by a Gaussian of sigma 1.5, C1 = "
     "(0.01 max)^2, C2 = (0.03 max)^2. In smaller pictures the window is the largest odd size that "
     "fits."},
    {DOC_TEXT, NULL,
     "With --min-psnr or --min-ssim alone any number of samples may differ; with --max-diff or "
     "--max-fail-percent beside them those limits hold too. Alpha is a channel like the others, "
     "and colour counts where alpha is 0 as well."},
    {DOC_TEXT, NULL,
     "Of two folders those files are compared that are called like pictures; what the program "
     "itself keeps beside its outputs is passed over. Symlinks are what they lead to."},
    {0},
};

static const struct doc_block golden[] = {
    {DOC_TEXT, NULL,
     "A suite is a text: a checksum, the name of a picture, the shell command that writes it; "
     "SUITE "
     "may be a folder that holds golden.txt."},
    {DOC_CODE, NULL,
     "# a comment\n"
     "inputs photo.png logos/*.png\n"
     "642476590b844684  out.ppm   stencilcli blur photo.png out.ppm\n"
     "0                 big.png   convert photo.png -resize 200% big.png\n"
     "    tolerance max-diff 1 max-fail-percent 2: versions round differently\n"
     "1f68dec4921a658b  renders/title.png\n"
     "-                 -         stencilcli mask gauss5"},
    {DOC_TEXT, NULL,
     "Each command runs in a folder of its own with copies of the inputs that the line above it "
     "names (patterns, below the suite's folder); stencilcli is there this program. A picture "
     "without a command lies beside the suite. A picture called - is none: the command has to end "
     "with 0. The checksum is over the decoded samples; 0 stands for one that is not recorded yet. "
     "Only record changes the suite, and nothing when a command fails."},
    {DOC_TERM, "tolerance",
     "Below a case: the limits of compare without their dashes, a colon, and the reason for them. "
     "The picture is then compared with the one in the folder expected beside the suite, where "
     "record keeps it."},
    {DOC_TERM, "keep",
     "Record keeps the pictures below there too: then the report shows what was expected."},
    {DOC_TERM, "timeout S", "Commands below may take S seconds; the default is 120."},
    {DOC_TERM, "strict", "Commands below may leave nothing behind but their picture."},
    {0},
};

static const struct doc_block exit_status[] = {
    {DOC_TERM, "0", "Done."},
    {DOC_TERM, "1", "An input or an output failed."},
    {DOC_TERM, "2", "A usage error: a bad option or a bad mask."},
    {DOC_TERM, "3", "The device that was asked for is not there."},
    {DOC_TERM, "4", "compare, golden or --verify found a difference."},
    {DOC_TERM, "128+N", "Ended by signal N."},
    {0},
};

static const struct doc_block environment[] = {
    {DOC_TERM, "STENCILCLI_MASKS",
     "Folders with masks, separated by colons; looked through before the installed masks."},
    {DOC_TERM, "OMP_NUM_THREADS, SLURM_CPUS_PER_TASK",
     "At most so many threads, where --threads does not say otherwise."},
    {DOC_TERM, "SLURM_..., AWS_BATCH_..., JOB_COMPLETION_INDEX, OMPI_..., PMI_...",
     "Read by --shard auto."},
    {0},
};

static const struct doc_block files[] = {
    {DOC_TERM, "share/stencilcli/masks/*.txt",
     "The installed masks, below the folder that the program was installed to. The command "
     "stencilcli list masks shows what a bare name finds."},
    {DOC_TERM, "OUTPUT/.stencilcli-manifest.jsonl",
     "What a run over a folder has done; a shard's is .stencilcli-manifest-I-of-N.jsonl."},
    {0},
};

static const struct doc_block examples[] = {
    {DOC_CODE, NULL,
     "stencilcli blur in.png out.png\n"
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
     "stencilcli bench photo.png --mask gauss7 --plot roofline.svg\n"
     "stencilcli bench --size 8192x8192 --sweep tile --kernel basic,tiled\n"
     "stencilcli bench --channels 4 --depth 16 --alpha weighted --sigma 2\n"
     "stencilcli compare golden.png out.png --max-diff 1\n"
     "stencilcli signal voice.wav soft.flac --sigma 3"},
    {0},
};

const struct doc_topic *doc_topics(int *count)
{
    static const struct doc_topic topics[] = {
        {"DESCRIPTION", description},
        {"MASK FILES", mask_files},
        {"BORDERS", borders},
        {"ALPHA", alpha},
        {"FORMATS", formats},
        {"FOLDERS", folders},
        {"SIGNALS", signals},
        {"BENCH", bench},
        {"COMPARING", comparing},
        {"GOLDEN", golden},
        {"EXIT STATUS", exit_status},
        {"ENVIRONMENT", environment},
        {"FILES", files},
        {"EXAMPLES", examples},
    };
    *count = (int)(sizeof topics / sizeof topics[0]);
    return topics;
}
