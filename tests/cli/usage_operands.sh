# Too few operands, too many, and options that do not belong to the command.
. "$CLI/lib"
try --sigma 2
try blur
try blur in.png
try blur in.png out.png more.png
try list
try list masks filters
try list masks --sigma 2
try mask gauss5 --quality 50
try mask gauss5 --device cpu
# Two filters, and words of unset variables
try blur in.png sobel out.png
try blur in.png out.png sobel --sigma 2 -t 2
try blur in.png --sigma 2 out.png sobel --border constant:50% --quality=80
try convolve in.png out.png sobel sharpen --mask "1 'x"
try blur in.png ''
try blur in.png more.png ''
try compare '' in.png
try chain '' out.png blur
# The command that is named runs, with the options that were given.
cp "$TESTDATA/gray.png" 'my in.png'
works() {
    stencilcli "$@" 2>said || :
    sed 's/.* write stencilcli/stencilcli/; s/; for a folder of this .*//' said >command
    cat command
    . ./command
}
works convolve 'my in.png' a.png --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16 median --radius 2 -t 1
stencilcli convolve 'my in.png' b.png --mask '1 2 1; 2 4 2; 1 2 1' --divisor 16
stencilcli median b.png c.png --radius 2
cmp a.png c.png
works gauss 'my in.png' sobel a.png --sigma 2
stencilcli gauss 'my in.png' b.png --sigma 2
stencilcli sobel b.png c.png
cmp a.png c.png
