# The filter bilateral: samples that can be checked by hand; a model; bands, chains; refusals.
. "$CLI/lib"
cat >in.pgm <<'END'
P2 6 3 255
10 12 10 90 92 90
12 10 12 92 90 92
10 12 10 90 92 90
END
echo "both sides of an edge become flat"
stencilcli bilateral in.pgm out.pgm --sigma 2 --radius 1 --range 10
samples out.pgm
echo "a small range changes nothing, a large one is a Gaussian"
stencilcli bilateral in.pgm out.pgm --sigma 2 --range 1/10
samples out.pgm
stencilcli bilateral in.pgm a.pgm --sigma 0.8 --range 1e9
stencilcli gauss in.pgm b.pgm --sigma 0.8
cmp a.pgm b.pgm
echo "the default, and a percentage"
stencilcli bilateral in.pgm a.pgm
stencilcli bilateral in.pgm b.pgm --sigma 1 --range 25.5
cmp a.pgm b.pgm
python3 "$CLI/bilateral.py" "$STENCILCLI" 100 1

for border in replicate zero constant:7 reflect mirror; do
    for input in photo.png cutout.png deep.ppm; do
        set -- bilateral "$TESTDATA/$input" --radius 3 --range 9% --border $border
        STENCILCLI_BAND_ROWS=-1 stencilcli "$@" whole.pam --format pam
        STENCILCLI_BAND_ROWS=3 stencilcli "$@" bands.pam --format pam --threads 2
        cmp whole.pam bands.pam || echo "$input $border"
    done
done
stencilcli bilateral "$TESTDATA/photo.png" out.ppm --range 40 --repeat 3 --verify -q
stencilcli bilateral "$TESTDATA/photo.png" a.ppm --sigma 2
stencilcli sharpen a.ppm b.ppm
stencilcli chain "$TESTDATA/photo.png" a.ppm 'bilateral --sigma 2' sharpen
cmp a.ppm b.ppm

try bilateral in.pgm --plan --sigma 1 --radius 1 --range 10 --threads 1 --device cpu | sed -n 3,10p
stencilcli bilateral in.pgm --plan --json --radius 0 --range 1 | grep -o '"kind":[^:]*\|"range":[^]]*.'
refuses 2 'greater than 0' bilateral in.pgm never.pgm --range 0
refuses 2 'greater than 0' bilateral in.pgm never.pgm --range -5%
refuses 2 range bilateral in.pgm never.pgm --range wide
refuses 2 anchor bilateral in.pgm never.pgm --anchor 0,0
refuses 2 127 bilateral in.pgm never.pgm --radius 128
refuses 2 127 bilateral in.pgm never.pgm --sigma 60
refuses 2 mask bilateral in.pgm never.pgm --mask gauss5
refuses 2 range blur in.pgm never.pgm --range 10
refuses 2 basic bilateral in.pgm never.pgm --kernel basic --device cpu
[ ! -e never.pgm ]
