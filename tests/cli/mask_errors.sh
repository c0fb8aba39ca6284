# Invalid masks. The message names file, line and column; the exit status is always 2, before
# any picture is opened.
. "$CLI/lib"
bad() {
    printf "$1" >bad.txt
    try convolve missing.pgm never.pgm --mask bad.txt
}
bad '# a comment\n1 2 1\n2 4 O.1\n'
bad '1 2 1\n2 4\n'
bad '1 nan 1\n'
bad '1 1/0 1\n'
bad 'divisor 0\n1 1\n'
bad 'normalize\n1 -1\n'
bad 'normalize\ndivisor 2\n1 1\n'
bad 'anchor 2 0\n1 1\n'
bad 'anchor 0\n1 1\n'
bad ''
bad '# only a comment\n'
bad '1 2\000 1\n'
bad '1e65 1\n'
try convolve missing.pgm never.pgm --mask '1 2 x; 3 4 5'
try convolve missing.pgm never.pgm --mask '1 2 3' --divisor 0
try convolve missing.pgm never.pgm --mask '1 2 3' --divisor x
try convolve missing.pgm never.pgm --mask '1 2 3' --anchor 3,0
try convolve missing.pgm never.pgm
python3 -c 'print(" ".join(["1"] * 6002))' >wide.txt
refuses 2 wide.txt convolve missing.pgm never.pgm --mask wide.txt
python3 -c 'print("\n".join(["1"] * 6002))' >tall.txt
refuses 2 tall.txt convolve missing.pgm never.pgm --mask tall.txt
alone bad.txt wide.txt tall.txt
