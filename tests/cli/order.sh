# Order filters: samples that can be checked by hand; bands; refusals.
. "$CLI/lib"
cat >in.pgm <<'END'
P2 7 5 255
9 9 9 9 9 9 9
9 1 9 9 5 5 9
9 9 9 9 5 5 9
9 9 3 9 9 9 9
9 9 9 9 9 9 9
END
for filter in median erode dilate open close outline tophat blackhat; do
    echo "$filter"
    stencilcli $filter in.pgm out.pgm
    samples out.pgm
done
echo "cross, disc, a window to the right, a mask from a file"
stencilcli erode in.pgm out.pgm --shape cross
samples out.pgm
stencilcli erode in.pgm disc.pgm --shape disc
cmp out.pgm disc.pgm
stencilcli erode in.pgm out.pgm --mask '1 1 1' --anchor 0,0 --border zero
samples out.pgm
echo "0.5 0 -3" >window.txt
stencilcli dilate in.pgm out.pgm --mask window.txt --flip --border constant:50%
samples out.pgm
echo "rank"
stencilcli rank in.pgm a.pgm --rank 50%
stencilcli median in.pgm b.pgm
cmp a.pgm b.pgm
stencilcli rank in.pgm a.pgm --rank 100 --radius 2
stencilcli dilate in.pgm b.pgm --radius 2
cmp a.pgm b.pgm

# Bands of 3 rows give the bytes of the whole picture, for filters of one step and of two.
for border in replicate zero constant:7 reflect mirror; do
    for filter in median open blackhat outline; do
        for input in photo.png cutout.png; do
            for radius in 1 4; do
                set -- $filter "$TESTDATA/$input" --radius $radius --border $border
                STENCILCLI_BAND_ROWS=-1 stencilcli "$@" whole.pam --format pam
                STENCILCLI_BAND_ROWS=3 stencilcli "$@" bands.pam --format pam --threads 2
                cmp whole.pam bands.pam || echo "$filter $input $border $radius"
            done
        done
    done
done
stencilcli tophat "$TESTDATA/photo.png" out.ppm --radius 2 --repeat 3 --verify -q

try median in.pgm --plan --radius 1 --threads 1 | sed -n 3,9p
refuses 2 --sigma erode in.pgm never.pgm --sigma 2
refuses 2 --rank median in.pgm never.pgm --rank 50
refuses 2 --rank rank in.pgm never.pgm
refuses 2 --rank rank in.pgm never.pgm --rank 100.5%
refuses 2 --rank rank in.pgm never.pgm --rank middle
refuses 2 --shape open in.pgm never.pgm --shape circle
refuses 2 --shape blur in.pgm never.pgm --shape disc
refuses 2 --shape open in.pgm never.pgm --shape disc --mask box3
refuses 2 127 open in.pgm never.pgm --radius 128
refuses 2 'not 0' open in.pgm never.pgm --mask '0 0'
refuses 2 basic median in.pgm never.pgm --kernel basic --device cpu
[ ! -e never.pgm ]
