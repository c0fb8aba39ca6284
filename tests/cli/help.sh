# Help goes to standard output, fits 80 columns, and -h fits one screen.
. "$CLI/lib"
for words in -h --help 'blur -h' '--help sobel' 'mask --help' 'list --help' 'blur x --help'; do
    # shellcheck disable=SC2086
    "$STENCILCLI" $words >out 2>err
    [ -s out ]
    [ ! -s err ]
    awk -v words="$words" 'length > 79 { print words ": " $0 }' out
done
[ "$("$STENCILCLI" -h | wc -l)" -le 23 ]
"$STENCILCLI" --help >full
grep -q 'correlation' full
grep -q 'true convolution' full
grep -q 'STENCILCLI_MASKS' full
"$STENCILCLI" sobel --help >sobel.txt
head -n 1 sobel.txt
grep -q -- '--border' sobel.txt
grep -q 'stencilcli --help' sobel.txt
"$STENCILCLI" list --help >list.txt
head -n 1 list.txt
none '--border' list.txt
# `help` is --help, `version` is --version.
"$STENCILCLI" help | cmp - full
"$STENCILCLI" help sobel | cmp - sobel.txt
"$STENCILCLI" version >version
"$STENCILCLI" --version | cmp - version
try help blurr
try help blur sobel
try version now
try version --json
# The example of each filter and command works.
convert_by() {
    stencilcli convolve "$TESTDATA/photo.png" "$1" --mask identity -q
}
convert_by photo.png
convert_by photo.jpg
mkdir suite
cp photo.png out.png
cp photo.png golden.png
echo 1 2 3 >in.txt
printf 'inputs photo.png\n642476590b844684  o.ppm  stencilcli blur photo.png o.ppm\n' >suite/golden.txt
cp photo.png suite
ln -s "$STENCILCLI" stencilcli
PATH=$PWD:$PATH
filters=$("$STENCILCLI" list filters | awk '/^  / { print $1 }')
for name in $filters mask signal reuse bench compare golden list help version; do
    example=$("$STENCILCLI" "$name" -h | sed -n 's/^example:  //p')
    case $name in
    bench) example="$example --runs 1 --device cpu --kernel scalar" ;;
    esac
    eval "$example" >shown 2>err || {
        echo "$example"
        cat err
    }
done
