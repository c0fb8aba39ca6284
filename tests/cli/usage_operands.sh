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
try blur in.png ''
try blur in.png more.png ''
try compare '' in.png
try chain '' out.png blur
