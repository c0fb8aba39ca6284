# What is said about the software GPU: plans, times, lists and refusals; auto never takes it.
. "$CLI/lib"
need_soft
cp "$TESTDATA/gray.png" in.png
seq 9 >numbers
stencilcli blur in.png auto.png --json | grep -c '"device":"soft"' || :
stencilcli bench in.png --runs 1 | grep -c soft || :
stencilcli blur in.png --device soft --kernel tiled --plan | sed -n '/^device/,/^loads/p'
stencilcli blur in.png --device soft --plan | grep -c ' about .* on the software GPU'
stencilcli signal numbers - --mask '1 2 1' --device soft --plan | grep '^device'
times='these are times of the software GPU'
stencilcli blur in.png out.png --device soft --time 2>said
grep -c "$times" said
stencilcli signal numbers out.txt --mask '1 2 1' --device soft --time 2>said
grep -c "$times" said
stencilcli bench --size 40 --device soft --kernel basic,tiled >said
grep -c "^! $times" said
grep -c '^basic  *soft:0' said
stencilcli bench --size 40 --device soft --kernel tiled --json |
    python3 -c 'import json; row = json.loads(input()); print(row["devices"][0]["software"])'
stencilcli list devices | grep -c '^soft '
if ! stencilcli list devices | grep -q '^cuda:0'; then
    stencilcli list kernels | grep -q '^tiled .*--device soft runs it'
    refuses 3 '--device soft' blur in.png never.png --kernel tiled
    refuses 3 '--device soft' signal numbers never.txt --mask 1 --kernel tiled
    refuses 3 '--device soft' bench --size 9 --kernel tiled
fi
try blur in.png never.png --device soft --kernel scalar
try blur in.png never.png --device soft:7
try blur in.png never.png --device soft:x
try blur in.png never.png --device soft --method fft
refuses 3 '255 cells' gauss in.png never.png --sigma 60 --device soft
# Without its program: the way out. (Where the program is installed, it is found.)
cp "$STENCILCLI" copy
STENCILCLI=./copy
if stencilcli list devices | grep -q '^soft *none: '; then
    refuses 3 'C++ compiler' blur in.png never.png --device soft
    stencilcli blur in.png out.png
fi
rm copy
alone in.png numbers auto.png out.png out.txt said
