# Everyday tasks 1 to 10, typed as a photographer types them. What each option means is tested
# elsewhere; here each task must work at first try.
. "$CLI/lib"
task() {
    echo "== $*"
}
header() { # kind, width, height, channels, maximum
    samples "$1" | sed -n 1p
}
pictures() { # the pictures below a folder
    (cd "$1" && find . -name '.stencilcli*' -prune -o -type f -print | sort | tr '\n' ' ' && echo)
}
quietly() { # runs, and prints the lines of the summary without its times
    "$@" 2>said || echo "exit $?"
    sed '/of work on/d; /not kept/d; s/; [0-9.]* megapixels.*//' said
}
mkdir -p photos/2025 photos/2026/raw
cp "$TESTDATA/photo.png" photo.png
cp "$TESTDATA/photo.png" photos/2025/IMG_1.png
cp "$TESTDATA/gray.png" photos/2026/IMG_2.PNG
cp "$TESTDATA/rotated.jpg" photos/2026/IMG_3.jpg
cp "$TESTDATA/photo.png" photos/2026/raw/IMG_4.png
printf 'II*\0' >photos/2026/raw/IMG_4.NEF
echo 'the harbour' >photos/notes.txt

task '1 blur one picture'
stencilcli blur photo.png soft.png
stencilcli compare photo.png soft.png --min-psnr 20 >compared
cut -d: -f1,2 compared | head -n 1

task '2 into a folder that is there'
mkdir out
stencilcli gauss photo.png out --sigma 2
pictures out

task '3 several files, converted to another format'
quietly stencilcli sharpen photo.png photos/2026/IMG_2.PNG more/ --ext bmp
pictures more

task '4 a whole tree'
quietly stencilcli blur photos all
pictures all

task '5 only a part of it'
quietly stencilcli blur photos part --include '2026/**' --exclude raw/
pictures part
quietly stencilcli blur photos pngs --include '*.{png,PNG}'
pictures pngs

task '6 in place'
cp photo.png mine.png
stencilcli blur mine.png mine.png
cmp mine.png soft.png

task '7 sharpen softly, with a preview of what would run'
stencilcli unsharp photo.png --plan --sigma 1.5 --amount 0.6 >plan
grep -c . plan >counted
stencilcli unsharp photo.png sharp.png --sigma 1.5 --amount 0.6
cmp photo.png sharp.png >differ || echo sharper

task '8 a cut-out keeps its transparency; a format without it is refused, unless alpha is dropped'
stencilcli gauss "$TESTDATA/cutout.png" cutout.png --sigma 2
stencilcli convolve cutout.png cutout.pam --mask identity
header cutout.pam
refuses 1 alpha gauss "$TESTDATA/cutout.png" cutout.ppm
stencilcli gauss "$TESTDATA/cutout.png" cutout.ppm --sigma 2 --alpha drop
header cutout.ppm

task '9 an interrupted tree goes on where it stopped; a changed picture is done again'
rm all/2026/IMG_2.PNG
touch -d 2001-01-01 photos/2025/IMG_1.png
quietly stencilcli blur photos all

task '10 a damaged picture among good ones'
head -c 2000 photo.png >photos/2025/torn.png
quietly stencilcli blur photos again | sed 's/\(truncated PNG\).*/\1/'
pictures again
