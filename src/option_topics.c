/* What --help and the man page say besides the tables of options and commands:
 * the formula, mask files, borders, alpha, formats, exit status, examples. Plain
 * ASCII; the writers (options_help.c, options_man.c) do the layout. A name of an
 * option may stand here only if it is in the option table: a test compares. */
#include "option_table.h"

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
     "INPUT and OUTPUT are files; - is standard input or standard output. They may be the same "
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
     "The command bench times every 2D kernel on IMAGE, or on a picture of its own, with the mask "
     "of --mask (gauss5) and the border of --border. Before a kernel is timed its output is "
     "compared with the reference's: all of it for small pictures, else three bands of rows at "
     "top, "
     "middle and bottom. Then it is warmed up and run at least ten times and for a second; the "
     "table has the median and the median distance to it."},
    {DOC_TEXT, NULL,
     "CUDA kernels are timed on the device and alone: the data lies there, on float planes for the "
     "textbook's kernels, and inputs are taken in turn so that none lies in the cache. CPU kernels "
     "are timed as a whole. The reference is slow: three runs on some of the rows. Beside the time "
     "stand the share of a copy of as many bytes, the operations a second, the speed-up over "
     "basic, "
     "and how many times fewer loads the analysis of reuse predicts."},
    {DOC_TEXT, NULL,
     "--plot draws a roofline: what was measured of the device as its roof, each kernel a point "
     "below it. With --sweep it draws time against the width of tile or mask. Sentences after the "
     "table say where numbers cannot be trusted much."},
    {0},
};

static const struct doc_block exit_status[] = {
    {DOC_TERM, "0", "Done."},
    {DOC_TERM, "1", "An input or an output failed."},
    {DOC_TERM, "2", "A usage error: a bad option or a bad mask."},
    {DOC_TERM, "3", "The device that was asked for is not there."},
    {DOC_TERM, "4", "--verify found a difference."},
    {DOC_TERM, "128+N", "Ended by signal N."},
    {0},
};

static const struct doc_block environment[] = {
    {DOC_TERM, "STENCILCLI_MASKS",
     "Folders with masks, separated by colons; looked through before the installed masks."},
    {0},
};

static const struct doc_block files[] = {
    {DOC_TERM, "share/stencilcli/masks/*.txt",
     "The installed masks, below the folder that the program was installed to. The command "
     "stencilcli list masks shows what a bare name finds."},
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
     "stencilcli blur in.png out.png --kernel tiled --plan\n"
     "stencilcli mask --sigma 1.4 > mymask.txt\n"
     "stencilcli signal in.txt out.txt --mask '1 2 1' --divisor 4\n"
     "stencilcli bench photo.png --mask gauss7 --plot roofline.svg\n"
     "stencilcli bench --size 8192x8192 --sweep tile --kernel basic,tiled\n"
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
        {"SIGNALS", signals},
        {"BENCH", bench},
        {"EXIT STATUS", exit_status},
        {"ENVIRONMENT", environment},
        {"FILES", files},
        {"EXAMPLES", examples},
    };
    *count = (int)(sizeof topics / sizeof topics[0]);
    return topics;
}
