# Values that are out of range, of the wrong kind, missing, or superfluous.
. "$CLI/lib"
try blur in.png out.png --quality 0
try blur in.png out.png --quality 101
try blur in.png out.png --quality=best
try blur in.png out.png --sigma 0
try blur in.png out.png --sigma nan
try blur in.png out.png --sigma -1
try blur in.png out.png --sigma 0x2
try blur in.png out.png --radius 3001
try blur in.png out.png --repeat 0
try blur in.png out.png --threads 0
try blur in.png out.png -t1025
try blur in.png out.png --tile 12
try blur in.png out.png --anchor 1
try blur in.png out.png --anchor 1,-1
try blur in.png out.png --device cuda:x
try blur in.png out.png --border constant
try blur in.png out.png --border zero:3
try blur in.png out.png --mask
try blur in.png out.png --mask=
try blur in.png out.png --flip=yes
try convolve in.png out.png --mask 1e65
try convolve in.png out.png --mask 1/0
# Every option that needs a value says what is right when it gets an empty one.
stencilcli --help | sed -n 's/^  *\(-., \)\?\(--[a-z-]*\) [A-Z].*/\2/p' | sort -u |
    while read -r option; do
        code=0
        stencilcli blur in.png out.png "$option" '' 2>said || code=$?
        [ $code = 2 ] || echo "$option: exit $code"
        sed 's/: expected auto, reference, .*;/: expected auto, reference ...;/' said
    done
