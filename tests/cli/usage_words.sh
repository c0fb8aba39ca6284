# Unknown words: each is named, with the nearest known word if one is near.
. "$CLI/lib"
try blurr in.png out.png
try Sobel in.png out.png
try lsit masks
try xyzzy
try list fliters
try list things
try blur in.png out.png --sgima 2
try blur in.png out.png --xyzzy
try blur in.png out.png -mask gauss5
try blur in.png out.png -qz
try blur in.png out.png --border mirorr
try blur in.png out.png --border constnt:5
try blur in.png out.png --alpha wieghted
try blur in.png out.png --kernel referense
try blur in.png out.png --device gpu
try blur in.png out.png --format heic
try blur in.png out.png --format pgn
try --completion tcsh
