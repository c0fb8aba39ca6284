# A chain writes what its steps write one after the other through files, whatever the bands, the
# threads and the device.
. "$CLI/lib"
python3 "$CLI/chains.py" "$STENCILCLI" "$TESTDATA" 40 1 cpu

# The reference sees every step; a folder; a pipe.
cp "$TESTDATA/cutout.png" .
try chain cutout.png out.png 'blur --repeat 2' 'unsharp --sigma 1' --verify
mkdir in
cp "$TESTDATA/gray.png" in/a.png
cp "$TESTDATA/photo.png" in/b.png
stencilcli chain in out blur sobel -q
stencilcli chain - - blur sobel --format png <in/b.png >b.png
cmp b.png out/b.png
# What is finished is not filtered again, unless a step changes.
try chain in out blur sobel
stencilcli chain in out blur 'sobel --border wrap' 2>&1 | grep -o '2 files: 2 done'

# The plan names every step.
stencilcli chain "$TESTDATA/photo.png" out.png 'gauss --sigma 2' sharpen --plan --device cpu --kernel scalar |
    grep -E '^(step|passes|border|kernel|device|halo)'
stencilcli chain "$TESTDATA/photo.png" out.png blur sobel --plan --json |
    python3 -c 'import json, sys; print([(s["filter"], s["kind"], s["passes"], s["above"]) for s in json.load(sys.stdin)["steps"]])'

# Alpha can be dropped from the output of the last step.
try chain cutout.png out.ppm blur sharpen
stencilcli chain cutout.png out.ppm blur sharpen --alpha drop
stencilcli blur cutout.png one.png
stencilcli sharpen one.png two.ppm --alpha drop
cmp out.ppm two.ppm
try chain cutout.png out.ppm blur --alpha plain

# Wrong words.
try chain in.png out.png
try chain in.png out.png 'gaus --sigma 2'
try chain in.png out.png blur ''
try chain in.png out.png blur 'list filters'
try chain in.png out.png 'blur x.png'
try chain in.png out.png 'blur --time'
try chain in.png out.png 'blur --decimals 3'
try chain in.png out.png 'blur --mask gauss5 --sigma'
try chain in.png out.png "convolve --mask '1 2 1"
try chain in.png out.png 'convolve --mask -'
try chain in.png out.png 'sobel --mask gauss5'
try chain in.png out.png blur --sigma 2
echo 1 2 1 >mask.txt
try chain cutout.png mask.txt blur 'convolve --mask mask.txt'

# Errors that are found when the picture is known name their step, too.
refuses 2 'step 2: method fft cannot run this: ' chain cutout.png out.png blur median --method fft
refuses 2 'step 2: --region 999,0,9,9 lies' chain cutout.png out.png blur 'sobel --region 999,0,9,9'
refuses 2 'step 1: --channels 7: ' chain cutout.png out.png 'sobel --channels 7' blur
cp "$TESTDATA/gray.png" .
refuses 1 'step 2: --where cutout.png: ' chain gray.png out.png blur 'sobel --where cutout.png'
