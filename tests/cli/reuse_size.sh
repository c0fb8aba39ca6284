# Exercises 4 to 7 for arrays and pictures of a given size; even masks, anchors, partial last tiles.
. "$CLI/lib"
try reuse --dims 1 --mask-width 4 --tile 4 --size 18
try reuse --mask-width 5x3 --tile 8 --size 20x10
try reuse --dims 2 --mask-width 3 --tile 2 --size 2 --anchor 2,0
