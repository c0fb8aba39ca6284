# Everyday tasks 26 to 31, typed as the author of a pipeline of tests types them.
. "$CLI/lib"
task() {
    echo "== $*"
}
mkdir -p expected actual suite
cp "$TESTDATA/photo.png" "$TESTDATA/gray.png" .

task '26 are two pictures equal? the exit status says it'
stencilcli blur photo.png a.png
stencilcli gauss photo.png b.png --sigma 1
stencilcli compare a.png a.png -q && echo equal
stencilcli compare a.png b.png >said || echo "exit $?"

task '27 nearly equal is enough'
stencilcli compare a.png b.png --max-diff 100 -q >said && echo passed
stencilcli compare a.png b.png --max-diff 1 --max-fail-percent 99 -q >said && echo passed
stencilcli compare a.png b.png --min-psnr 20 --min-ssim 0.5 -q >said && echo passed
stencilcli compare a.png b.png --min-psnr 90 -q >said || echo "exit $?"

task '28 two folders, with results for the CI server and a picture of each difference'
cp a.png expected/a.png
cp a.png actual/a.png
cp a.png expected/b.png
cp b.png actual/b.png
stencilcli compare expected actual --junit results.xml --diff differences >said || echo "exit $?"
tail -n 1 said
grep -c '<testcase' results.xml
ls differences

task '29 a golden suite: record once, check for ever'
cp photo.png gray.png suite
cat >suite/golden.txt <<'SUITE'
inputs *.png
0  soft.ppm   stencilcli blur photo.png soft.ppm
0  edges.pgm  stencilcli sobel gray.png edges.pgm
SUITE
stencilcli golden record suite >said
grep -c '^[0-9a-f]\{16\} ' suite/golden.txt
stencilcli golden check suite >said && echo 'still the same'

task '30 the suite finds a change, and shows it'
sed -i 's/blur photo/box photo/' suite/golden.txt
stencilcli golden check suite --html report.html --junit suite.xml >said || echo "exit $?"
grep -c '<failure' suite.xml
[ -s report.html ] && echo 'a report'

task '31 a mask under version control gives the same bytes on every machine'
stencilcli mask --sigma 2.3 >mask.txt
stencilcli convolve photo.png one.ppm --mask mask.txt
stencilcli gauss photo.png two.ppm --sigma 2.3
cmp one.ppm two.ppm
echo "$(stencilcli --version | head -n 1 | cut -d' ' -f1) is named"
