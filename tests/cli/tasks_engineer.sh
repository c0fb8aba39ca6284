# Everyday tasks 19 to 25, typed as an engineer with scans and pipelines types them.
. "$CLI/lib"
task() {
    echo "== $*"
}
header() { # kind, width, height, channels, maximum
    samples "$1" | sed -n 1p
}
cp "$TESTDATA/deep.ppm" "$TESTDATA/gray.png" "$TESTDATA/tenbit.pgm" "$TESTDATA/photo.png" .

task '19 16 bits stay 16 bits, gray stays gray, 10 bits stay 10 bits'
stencilcli blur deep.ppm deep.png
stencilcli convolve deep.png back.ppm --mask identity
header back.ppm
stencilcli gauss gray.png gray.pam --sigma 1
header gray.pam
stencilcli box tenbit.pgm tenbit.out.pgm --radius 2
header tenbit.out.pgm
refuses 1 '16' blur deep.ppm deep.jpg

task '20 in a pipe, with the bytes of files'
stencilcli blur - - <photo.png >piped.png
stencilcli blur photo.png file.png
cmp piped.png file.png
stencilcli convolve photo.png - --mask identity --format ppm | stencilcli gauss - two.ppm --sigma 2
stencilcli gauss photo.png one.ppm --sigma 2
cmp one.ppm two.ppm
for name in a b; do stencilcli box photo.png $name.pgm --radius 1 2>said || echo "exit $?"; done

task '21 as many threads and whichever kernel: the same bytes'
for threads in 1 2 7; do
    stencilcli unsharp deep.ppm t$threads.ppm -t $threads
    cmp t1.ppm t$threads.ppm
done

task '22 for a program: JSON'
stencilcli blur photo.png json.png --json | python3 -c 'import json, sys
row = json.load(sys.stdin)
print(row["filter"], row["width"], row["height"], row["channels"], row["output"])'
mkdir in
cp photo.png in/good.png
echo text >in/bad.png
echo text >in/notes.txt
stencilcli blur in out --json 2>said | python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["input"], row["status"])'
find in -name '*.png' -print0 | stencilcli blur in listed --files-from - -0 -q 2>said || echo "exit $?"
ls listed

task '23 one channel only; a copy beside, the mask at its corner'
stencilcli blur photo.png red.ppm --channels r
stencilcli convolve photo.png corner.ppm --mask '1 1; 1 1' --divisor 4 --anchor 0,0
header red.ppm
header corner.ppm

task '24 what goes wrong is said at once: names, masks, devices, sizes'
refuses 1 missing.png blur missing.png out.png
refuses 2 blurr blurr photo.png out.png
refuses 2 sigmo gauss photo.png out.png --sigmo 2
refuses 2 nomask convolve photo.png out.png --mask nomask
refuses 2 out.xyz blur photo.png out.xyz
refuses 2 row convolve photo.png out.ppm --mask '1 2 1; 2 4'
refuses 1 notes.txt blur in/notes.txt out.png
refuses 3 cuda:77 blur photo.png out.ppm --device cuda:77

task '25 an output that cannot be written: the old file stays'
mkdir closed
echo old >closed/old.png
chmod 444 closed/old.png
chmod 555 closed
if [ "$(id -u)" = 0 ]; then
    # Root may write anywhere: as somebody else, where that is possible.
    command -v setpriv >found && run='setpriv --reuid=65534 --regid=65534 --clear-groups' || run=
    chmod 711 . && chmod 644 photo.png
else
    run=env
fi
if [ -n "$run" ] && $run test -x "$STENCILCLI" -a -r photo.png 2>closed_to_them; then
    for output in closed/old.png closed/new.png; do
        code=0
        $run "$STENCILCLI" blur photo.png $output 2>said || code=$?
        [ $code = 1 ] || echo "exit $code"
        grep -q "$output: cannot" said || cat said
    done
fi
chmod 755 closed
cat closed/old.png
ls closed
