# --repeat N makes N whole passes, each rounded and clamped.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli sharpen in.pgm 1.pgm
stencilcli sharpen 1.pgm 2.pgm
stencilcli sharpen 2.pgm 3.pgm
stencilcli sharpen in.pgm out.pgm --repeat 3
cmp 3.pgm out.pgm
stencilcli sharpen in.pgm out.pgm --repeat 1
cmp 1.pgm out.pgm
