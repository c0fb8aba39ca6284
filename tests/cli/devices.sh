# A missing device is exit status 3; auto always finds a device.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
refuses 3 cuda:999 blur in.pgm never.pgm --device cuda:999
stencilcli blur in.pgm auto.pgm --device auto
stencilcli blur in.pgm cpu.pgm --device cpu
cmp auto.pgm cpu.pgm
if stencilcli list devices | grep -q '^cuda:0'; then
    stencilcli blur in.pgm cuda.pgm --device cuda
    stencilcli blur in.pgm cuda0.pgm --device cuda:0
    cmp cuda.pgm cpu.pgm
    cmp cuda0.pgm cpu.pgm
    rm cuda.pgm cuda0.pgm
else
    refuses 3 cuda blur in.pgm never.pgm --device cuda
fi
alone auto.pgm cpu.pgm in.pgm
refuses 2 reference blur in.pgm never.pgm --device cuda --kernel reference
