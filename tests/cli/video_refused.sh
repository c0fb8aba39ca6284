# What does not go with a video: each sentence names the way out. What goes: --plan, --json, --time.
. "$CLI/lib"
python3 -c 'import os, sys; sys.path.insert(0, os.environ["CLI"]); import y4m_maker as y4m
y4m.make("in.y4m", "420jpeg", 64, 48, 3)
y4m.make("alpha.y4m", "444alpha", 16, 8, 2)
y4m.make("field.y4m", "420jpeg", 64, 48, 3, "F25:1 Ib")'
cp "$TESTDATA/photo.png" photo.png
try blur in.y4m out.png
try blur in.y4m - --format ppm
try blur photo.png out.y4m
try blur photo.png - --format y4m
try blur in.y4m out.y4m --channels r
try blur in.y4m out.y4m --channels y
try blur alpha.y4m out.y4m --alpha drop
try blur field.y4m out.y4m
try blur in.y4m out.y4m --border constant:300
try compare in.y4m in.y4m
try compare photo.png in.y4m
try bench in.y4m
try reuse in.y4m
alone alpha.y4m field.y4m in.y4m photo.png
try blur in.y4m --plan --kernel scalar | grep picture
stencilcli blur in.y4m out.y4m --json | sed 's/,"max".*//'
stencilcli blur in.y4m out.y4m --time 2>said
grep -c 'reading .* filtering .* writing' said
try blur in.y4m out.y4m --verify
try convolve in.y4m out.y4m --mask '3'
# A mask that is read once serves all frames, also from a pipe.
printf '1 2 1\n' | stencilcli convolve in.y4m piped.y4m --mask - --normalize
stencilcli convolve in.y4m out.y4m --mask '1 2 1' --normalize
cmp piped.y4m out.y4m
mkdir in out
cp in.y4m photo.png in
stencilcli blur in out --format png -q 2>said || echo "exit $?"
head -n 1 said
