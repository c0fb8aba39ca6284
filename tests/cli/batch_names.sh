# Names are bytes: blanks, newlines, quotes, minus signs and invalid UTF-8, in the folder and in
# lists; --json and the manifest reproduce them.
. "$CLI/lib"
mkdir -p "in/a folder"
newline=$(printf 'two\nlines')
bytes=$(printf '\377\376 \303\251')
for name in ' blank ' "$newline" "$bytes" '-v' 'quote"s' 'back\slash' 'a folder/*'; do
    cp "$TESTDATA/textbook.pgm" "in/$name.pgm"
done
stencilcli blur in out --json >json 2>/dev/null
(cd in && find . -type f | LC_ALL=C sort) >expected
(cd out && find . -name '*.pgm' -type f | LC_ALL=C sort) >found
cmp expected found
python3 - <<'END'
import json
import os
expected = set()
for folder, _, files in os.walk(b"in"):
    expected |= {os.path.relpath(os.path.join(folder, name), b"in") for name in files}
lines = [json.loads(line) for line in open("json", encoding="utf-8")]
assert {os.fsencode(line["input"]) for line in lines} == {b"in/" + name for name in expected}
noted = [json.loads(line) for line in open("out/.stencilcli-manifest.jsonl", encoding="utf-8")]
assert {os.fsencode(line["output"]) for line in noted if "output" in line} == expected
END
# The next run finds all of them in the manifest.
stencilcli blur in out 2>messages
sed 's/;.*//' messages
# Lists: names end with a newline or a zero byte; `.` and empty parts are ignored, folders skipped.
(cd in && find . -print0) >list
stencilcli blur in from0 --files-from - -0 -q <list
(cd from0 && find . -name '*.pgm' -type f | LC_ALL=C sort) >found
cmp expected found
find in -print0 | stencilcli blur in/ from1 --files-from - -0 -q
find "$PWD/in" -print0 | stencilcli blur "$PWD/in" from2 --files-from - -0 -q
find "$PWD/in" -print0 | stencilcli blur in from3 --files-from - -0 -q
diff -r --exclude='.stencilcli*' from0 from1
diff -r --exclude='.stencilcli*' from0 from2
diff -r --exclude='.stencilcli*' from0 from3
printf '%s\n' './/-v.pgm' ' blank .pgm' '-v.pgm' missing.pgm ../expected /etc/passwd >lines
code=0
stencilcli blur in lines.out --files-from lines 2>messages || code=$?
echo "exit $code"
sed 's/;.*//; /of work on/d' messages
(cd lines.out && find . -type f | LC_ALL=C sort)
