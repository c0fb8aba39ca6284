# `stencilcli try`: options, exit codes, cases of the user, reports; nothing is left behind.
. "$CLI/lib"
need_try
solved=$CLI/../try/solved
mkdir tmp
export TMPDIR=$PWD/tmp
for name in basic constant readonly tiled cached basic_1d constant_1d tiled_1d cached_1d; do
    stencilcli try --template $name | grep -c __global__
done
stencilcli try "$solved/basic.cu" --quick | sed -n '1s/.*: right/right/p'
stencilcli try "$solved/tiled.cu" --quick --json |
    python3 -c 'import json; row = json.loads(input()); print(row["id"], sorted(row["ladder"]))'
# A wrong one: exit code 4, the place, and what to do; the reports agree.
sed 's/start = i - Mask_Width/start = i + 1 - Mask_Width/' "$solved/basic_1d.cu" >moved.cu
try try moved.cu --quick --junit report.xml
grep -c '<failure' report.xml >count && [ "$(cat count)" -gt 10 ]
# A report replaces a report. The page is well-formed, and shows the verdict and the first wrong tile.
try try moved.cu --quick --junit report.xml --html page.html
try try moved.cu --quick --junit report.xml --html page.html
cat >page.py <<'END'
import re, sys, xml.etree.ElementTree as tree
text = open(sys.argv[1]).read().replace("<!DOCTYPE html>", "")
page = tree.fromstring(text)
assert not re.search(r"(src|href)=", text)
pictures = [p.text for p in page.iter("{http://www.w3.org/2000/svg}title")]
print(page.find("body/h1/b").text, page.findtext("body/p"), pictures)
END
python3 page.py page.html
stencilcli try "$solved/tiled.cu" --quick --html page.html >said
python3 page.py page.html
# A case that asks for a mask that the kernel does not take.
printf '40 40 3\n40 40 7\n' >cases
stencilcli try "$solved/tiled.cu" --quick --cases cases | sed -n 's/.*: wrong: //p; 2p' | cat
printf '# a comment\n70 1 3\n\n71 1 5\n' >cases
stencilcli try moved.cu --quick --json --cases cases >said || [ $? -eq 4 ]
python3 -c 'import json; row = json.load(open("said")); print(row["id"], row["exit"])'
printf '70 1\n' >cases
try try moved.cu --cases cases
# Masks and cases that would take long are refused.
printf '9 9 3\n2000 2000 5\n' >cases
refuses 1 'line 2: 2000 x 2000 with a mask of 5 takes too long' try "$solved/basic.cu" --cases cases
yes '1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1' | head -n 33 >mask.txt
refuses 2 'at most 31 cells along an axis' try "$solved/basic.cu" --mask mask.txt
{ echo '// stencil: mask=33' && cat "$solved/basic.cu"; } >wide.cu
refuses 1 'make it at most 31 wide' try wide.cu
rm mask.txt wide.cu
# A right kernel whose barrier not all threads reach: a note.
cp "$CLI/../try/right/barrier_in_if_1d.cu" inside.cu
stencilcli try inside.cu --quick --html page.html | sed -n '/right/,/counted/p'
grep -c '<p>Note: thread (2,0) of block (3,0) ends without' page.html
rm inside.cu
# A template needs its arguments.
{ echo 'template <int K>' && sed -n '/^__global__/,$p' "$solved/basic.cu"; } >template.cu
refuses 1 'write the template'"'"'s arguments, `// stencil: template=...`' try template.cu
rm template.cu
# A hidden mask of more cells than a byte can sum: a right kernel stays right.
sed 's/float \*N, float \*P/float *N, unsigned char *P/' "$solved/basic.cu" >bytes.cu
printf '40 30 17\n' >cases
stencilcli try bytes.cu --quick --cases cases | sed -n '1s/.*: right/right/p'
rm bytes.cu
# A picture and a mask of the user; other shapes.
stencilcli try "$solved/basic.cu" --quick --image "$TESTDATA/gray.png" --mask gauss5 \
    --block 32x4 --seed 7 --tile 32x4 | grep -c ': right: '
# Usage, and files that are not there or no kernels.
refuses 2 'FILE.cu' try
refuses 2 'template' try --template nothing
refuses 2 '--block 0' try moved.cu --block 0
refuses 2 '--seed x' try moved.cu --seed x
refuses 3 'software GPU' try moved.cu --device cpu
refuses 1 'none.cu' try none.cu
echo 'int main() { return 0; }' >no_kernel.cu
refuses 1 'no kernel' try no_kernel.cu
CXX=./no_compiler refuses 3 'C++ compiler' try moved.cu
# A GPU of the test: a program that computes the outputs, and what is said of its time.
mkdir bin
cat >bin/nvcc <<END
#!/bin/sh
exec ${CC:-cc} -O2 -I"$CLI/../../src" \$FAKE "$CLI/../try/fake_gpu.c" -o kernel_gpu
END
chmod +x bin/nvcc
PATH=$PWD/bin:$PATH stencilcli try "$solved/basic.cu" --quick --device cuda:77 \
    --html page.html >said
sed -n '/a GPU of the test/,$p' said | sed 's/not timed: .*/not timed: .../'
python3 page.py page.html
PATH=$PWD/bin:$PATH FAKE=-DFAKE_MS=0.4 stencilcli try "$solved/basic.cu" --quick --device cuda:77 |
    sed -n 's/.*: wrong: //p'
rm -r bin
# On a GPU, or a sentence: no GPU, or no nvcc.
gpu_code=0
stencilcli try "$solved/basic_1d.cu" --quick --device cuda >said 2>why || gpu_code=$?
case $gpu_code in
0) grep -q 'of a copy' said ;;
*) [ $gpu_code = 3 ] && grep -qE 'needs nvcc|no GPU' why ;;
esac
rm why
# An interrupted run removes its folder.
cp "$CLI/../try/hostile/endless_loop.cu" .
"$STENCILCLI" try endless_loop.cu &
until [ -e tmp/stencilcli-try-*/kernel.so ]; do sleep 0.05; done
kill -TERM $! && wait $! 2>said || echo "ended by signal $(($? - 128))"
rmdir tmp
alone moved.cu report.xml page.html page.py count cases said no_kernel.cu endless_loop.cu
