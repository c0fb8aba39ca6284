# A thousand mixed files, twenty of them broken: 980 exact outputs, 20 reported reasons, exit 1; and
# three shards together do the whole.
. "$CLI/lib"
cat >make.py <<'PYTHON'
import os
import shutil
import sys
good, bad = sys.argv[1].split(), sys.argv[2].split()
folders = ["", "a", "a/b c", "d/e/f"]
for number in range(1000):
    broken = number % 50 == 7
    source = bad[number // 50] if broken else good[number % len(good)]
    folder = os.path.join("in", folders[number % 4])
    os.makedirs(folder, exist_ok=True)
    shutil.copy(source, f"{folder}/{number:04} {os.path.basename(source)}")
PYTHON
cat >check.py <<'PYTHON'
import os
import subprocess
import sys
alone, exact, named, wrong = {}, 0, 0, []
messages = set(open("messages").read().splitlines())
for folder, _, names in os.walk("in"):
    for name in names:
        path = os.path.join(folder, name)
        data = open(path, "rb").read()
        extension = os.path.splitext(name)[1]
        if (data, extension) not in alone:
            out = "alone" + extension
            run = subprocess.run([os.environ["STENCILCLI"], "sharpen", path, out, "-q"],
                                 capture_output=True, text=True)
            reason = run.stderr.strip().split(": ", 2)[-1]
            alone[data, extension] = (None, reason) if run.returncode else (
                open(out, "rb").read(), None)
        expected, reason = alone[data, extension]
        output = os.path.join("out", os.path.relpath(path, "in"))
        if expected is None:
            good = not os.path.exists(output) and f"stencilcli: {path}: {reason}" in messages
            named += good
        else:
            good = os.path.exists(output) and open(output, "rb").read() == expected
            exact += good
        if not good:
            wrong.append(path)
print(f"{exact} outputs as alone, {named} failures with the reason of the file alone", *wrong)
PYTHON
good="$TESTDATA/photo.png $TESTDATA/gray.png $TESTDATA/cutout.png $TESTDATA/deep.ppm
$TESTDATA/deep_alpha.pam $TESTDATA/tenbit.pgm $TESTDATA/textbook.pgm $TESTDATA/rotated.jpg"
bad=$(ls "$TESTDATA"/hostile/*.png "$TESTDATA"/hostile/*.jpg "$TESTDATA"/hostile/*.bmp \
    "$TESTDATA"/hostile/*.p[gpa]m | awk '{ all[NR] = $0 } END { for (i = 0; i < 20; i++)
        print all[1 + int(i * NR / 20)] }')
python3 make.py "$good" "$bad"
stencilcli sharpen in out 2>messages || echo "exit $?"
sed -n 's/\(1000 files.*\);.*/\1/p' messages
python3 check.py
for shard in 1 2 3; do
    stencilcli sharpen in shards --shard $shard/3 -q 2>>shard.messages || echo "exit $?"
done
diff -r --exclude='.stencilcli*' out shards
[ "$(wc -l <shard.messages)" = 20 ]
