# A run continues where a killed run ended: files in the manifest are not done again, other files
# are done, and finally the tree equals that of a run without kills, without temporaries.
. "$CLI/lib"
tree() {
    (cd "$1" && find . -type f ! -name '.stencilcli-manifest*' -exec cksum {} + | sort)
}
manifest=out/.stencilcli-manifest.jsonl
outputs() {
    sed -n 's/^{"output":"\([^"]*\)".*/\1/p' $manifest
}
# Each run has 60 files to do and is killed some files later than the last, at any moment of a file.
# A run that ends before the kill, on a busy machine, does not count.
python3 - <<'END'
import os, random, shutil, subprocess

files = noted = kills = tries = 0

def count():
    try:
        with open("out/.stencilcli-manifest.jsonl", "rb") as manifest:
            return sum(line.startswith(b'{"output":') and line.endswith(b"\n")
                       for line in manifest)
    except FileNotFoundError:
        return 0

os.makedirs("in/sub")
while (kills < 10 or noted == files) and tries < 40:
    while files < noted + 60:
        files += 1
        shutil.copyfile(os.environ["TESTDATA"] + "/photo.png",
                        f"in/{'sub/' * (files % 2)}{1000 + files}.png")
    run = subprocess.Popen([os.environ["STENCILCLI"], "blur", "in", "out", "--repeat", "8", "-q",
                            "-t", "3"])
    target = noted + random.randrange(6)
    while run.poll() is None and count() < target:
        pass
    run.kill()
    kills += run.wait() == -9
    noted, tries = count(), tries + 1
if kills < 10:
    print(f"{kills} of {tries} kills came in time")
END
files=$(find in -type f | wc -l)
noted=$(outputs | wc -l)
[ "$noted" -gt 0 ] || echo "nothing was noted"
[ "$noted" -lt "$files" ] || echo "no file is left to do"
stencilcli blur in out --repeat 8 -t 3 --json >json 2>messages
[ "$(grep -c '"status":"skipped"' json)" = "$noted" ] || echo "noted files were done again"
[ "$(grep -c '"status":"done"' json)" = $((files - noted)) ] || echo "files are missing"
[ -z "$(outputs | sort | uniq -d)" ] || echo "a file is noted twice"
stencilcli blur in whole --repeat 8 -q
tree whole >expected
tree out >found
cmp expected found

# A file is made again if its output, or anything that determines the output, has changed.
again() {
    stencilcli blur in out --json -t 2 "$@" 2>/dev/null | grep -c '"status":"done"' || :
}
rm -r in out
mkdir in
for name in a b c d; do cp "$TESTDATA/textbook.pgm" in/$name.pgm; done
cp "$MASKS/gauss5.txt" mask.txt
echo "first $(again --mask mask.txt)"
echo "again $(again --mask mask.txt)"
echo "other threads and kernel $(again --mask mask.txt -t 1 --kernel scalar)"
touch -d '2001-01-01' in/a.pgm
echo "an input's time $(again --mask mask.txt)"
rm out/b.pgm
echo "an output lost $(again --mask mask.txt)"
echo text >>out/c.pgm
echo "an output changed $(again --mask mask.txt)"
echo "another border $(again --mask mask.txt --border zero)"
echo "back again $(again --mask mask.txt)"
sed 's/36/37/' "$MASKS/gauss5.txt" >mask.txt
echo "another mask by that name $(again --mask mask.txt)"
stencilcli blur in out --mask mask.txt --border wrap --plan 2>/dev/null
stencilcli blur in out --mask mask.txt --plan 2>&1 | sed 's/;.*//'
stencilcli blur in nowhere --plan --include b.pgm 2>/dev/null
[ ! -e nowhere ]
echo "--force $(again --mask mask.txt --force)"
# A file in another folder with equal name, size and time is another input.
mkdir other
for name in a b c d; do
    sed 's/9/8/g' in/$name.pgm >other/$name.pgm
    touch -r in/$name.pgm other/$name.pgm
done
stencilcli blur other out --mask mask.txt -q
stencilcli blur other out2 --mask mask.txt -q
diff -r --exclude='.stencilcli*' out out2
echo "the first folder again $(again --mask mask.txt)"
# A partial line is ignored, and ended before the next line.
printf '{"output":"d.pgm","bytes":12' >>$manifest
rm out/d.pgm
echo "a torn line $(again --mask mask.txt)"
echo "and then $(again --mask mask.txt)"
python3 - <<'END'
import json
torn = 0
for line in open("out/.stencilcli-manifest.jsonl"):
    try:
        json.loads(line)
    except ValueError:
        torn += 1
print("torn lines:", torn)
END
# An input of another name that makes the same output, with equal size and time, is another input.
mkdir twice
cp in/a.pgm twice/a.pgm
touch -d '2001-01-01' twice/a.pgm
stencilcli blur twice out3 --ext png -q
sed 's/9/8/g' twice/a.pgm >twice/a.pnm
touch -r twice/a.pgm twice/a.pnm
rm twice/a.pgm
stencilcli blur twice out3 --ext png -v 2>&1 | grep -o "1 done"
stencilcli blur twice/a.pnm wanted.png
cmp out3/a.png wanted.png
