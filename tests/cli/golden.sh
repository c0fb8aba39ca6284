# golden: record and check, tolerances, pictures of other programs, files that are not suites.
. "$CLI/lib"
mkdir -p suite/sub scratch
export TMPDIR="$PWD/scratch"
printf 'P2 2 1 255 1 2' >suite/in.pgm
printf 'P2 2 1 255 3 4' >'suite/sub/a b.pgm'
cat >suite/golden.txt <<'END'
# Comments and blanks are kept.

inputs in.pgm sub/*.pgm
strict
0  out.pgm   stencilcli convolve in.pgm out.pgm --mask 2   # twice
0  o/deep.pgm  mkdir o && printf 'P2 1 1 65535 700' > o/deep.pgm
0  in.pgm
0  'a b.pgm'  cp "sub/a b.pgm" .
    tolerance max-diff 1: the scanner is not the same every day
-  -  stencilcli mask gauss3
END
try golden check suite
try golden record suite
cat suite/golden.txt
ls suite suite/expected
try golden check suite/golden.txt -v -t 3
cp suite/golden.txt good.txt
# A change within the limits, a change beyond them, an unexpected change
printf 'P5 2 1 255 \003\005' >'suite/sub/a b.pgm'
try golden check suite
printf 'P5 2 1 255 \003\006' >'suite/sub/a b.pgm'
printf 'P2 2 1 255 1 3' >suite/in.pgm
try golden check suite --junit results.xml
grep -c '<failure' results.xml
cmp suite/golden.txt good.txt
# keep: all pictures are kept; pictures that no case names any more are removed.
sed -i 's/^strict/keep\nstrict/' suite/golden.txt
try golden record suite
ls suite/expected
try golden check suite -q
# A failing case is named, the others continue, and record changes nothing.
cp suite/golden.txt good.txt
sed -i "s/--mask 2 /--border x /; s/mkdir o/touch stray; mkdir o/" suite/golden.txt
cp suite/golden.txt bad.txt
try golden check suite
sed -i 's,^[0-9a-f]*  in.pgm,0  in.pgm,' suite/golden.txt
cp suite/golden.txt bad.txt
try golden record suite
cmp suite/golden.txt bad.txt
cp good.txt suite/golden.txt
# An expected picture whose checksum is not the one in its name
printf 'P5 2 1 255 \003\003' >suite/expected/52804da49db5dca8.pgm
printf 'P5 2 1 255 \003\007' >'suite/sub/a b.pgm'
try golden check suite
# A kept picture with unchanged samples stays, even if other content of its file differs.
mkdir dated
printf '0 a.pgm printf "P5 #%%s\\n1 1 255 a" "$(cat ../../../count)" >a.pgm\n' >dated/golden.txt
sed -i '1i keep' dated/golden.txt
echo 1 >count
stencilcli golden record dated -q
cp dated/expected/*.pgm first.pgm
echo 2 >count
stencilcli golden record dated -q
cmp first.pgm dated/expected/*.pgm
rm -r dated count first.pgm
# A command on folders: its manifest is not an unexpected file.
mkdir folders folders/in
cp suite/in.pgm folders/in
printf 'inputs in/*\nstrict\n0 in.pgm stencilcli blur in .\n' >folders/golden.txt
try golden record folders -q
try golden check folders
rm -r folders
alone bad.txt good.txt results.xml scratch suite
[ -z "$(ls scratch)" ]
