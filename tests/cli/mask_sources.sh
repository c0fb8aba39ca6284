# A mask from a file, by a bare name with and without .txt, as rows in place, from standard input,
# and from STENCILCLI_MASKS: always the same bytes.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
mkdir masks
printf '# two rows\ndivisor 4\n1 2\n0 1\n' >masks/own2.txt
stencilcli convolve in.pgm expected.pgm --mask '1 2; 0 1' --divisor 4
stencilcli convolve in.pgm out.pgm --mask masks/own2.txt
cmp expected.pgm out.pgm
stencilcli convolve in.pgm out.pgm --mask masks/own2
cmp expected.pgm out.pgm
stencilcli convolve in.pgm out.pgm --mask - <masks/own2.txt
cmp expected.pgm out.pgm
export STENCILCLI_MASKS="$PWD/masks"
stencilcli convolve in.pgm out.pgm --mask own2
cmp expected.pgm out.pgm
stencilcli convolve in.pgm out.pgm --mask own2.txt
cmp expected.pgm out.pgm
# The project's own masks.
stencilcli blur in.pgm expected.pgm --mask \
    '1 4 6 4 1; 4 16 24 16 4; 6 24 36 24 6; 4 16 24 16 4; 1 4 6 4 1' --divisor 256
stencilcli blur in.pgm out.pgm --mask gauss5
cmp expected.pgm out.pgm
stencilcli blur in.pgm out.pgm --mask gauss5.txt
cmp expected.pgm out.pgm
# The options replace the file's values.
stencilcli convolve in.pgm expected.pgm --mask '1 2; 0 1' --divisor 2 --offset 3 --anchor 0,1
stencilcli convolve in.pgm out.pgm --mask own2 --divisor 2 --offset 3 --anchor 0,1
cmp expected.pgm out.pgm
refuses 2 nosuch convolve in.pgm never.pgm --mask nosuch
refuses 2 'standard input' convolve - never.pgm --mask - <masks/own2.txt
[ ! -e never.pgm ]
