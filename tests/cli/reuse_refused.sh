# Contradictory options, and numbers out of range, are refused before anything is printed.
. "$CLI/lib"
cp "$TESTDATA/gray.png" .
try reuse --tile 0
try reuse --tile 8,
try reuse --tile 8x8
try reuse --tile 65537
try reuse --mask-width 256
try reuse --mask-width ''
try reuse --mask-width 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
try reuse --size 10,20
try reuse --size 3x
try reuse --size 99999999999999999999
try reuse --size -5
try reuse --size 2147483647x2147483647
try reuse --dims 3
try reuse --dims 1 --size 5x6
try reuse --dims 1 --mask-width 3x2
try reuse --dims 1 --mask '1 2; 3 4'
try reuse --dims 1 gray.png
try reuse --anchor 3,0 --mask-width 3
try reuse --anchor 1,1 --mask-width 3
try reuse --json --csv
try reuse --mask gauss5 --mask-width 5
try reuse gray.png --size 5
try reuse - --mask -
try reuse missing.png
try reuse gray.png gray.png
try reuse --sigma 2
try blur gray.png out.png --mask-width 3
try blur gray.png out.png --tile 8,16
