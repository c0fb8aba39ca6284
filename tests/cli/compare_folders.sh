# compare with two folders: pairs by name, missing and extra files named; --json, --junit, --diff.
. "$CLI/lib"
mkdir -p a/sub b/sub
printf 'P2 2 1 255 1 2' >a/same.pgm
printf 'P5 2 1 255 \001\002' >b/same.pgm
printf 'P2 2 1 255 1 2' >a/sub/other.pgm
printf 'P2 2 1 255 1 5' >b/sub/other.pgm
printf 'P2 2 1 255 1 2' >a/close.pgm
printf 'P2 2 1 255 1 3' >b/close.pgm
printf 'P2 2 1 255 1 2' >'a/only <a> & "b".pgm'
printf 'P2 2 1 255 1 2' >b/only_b.pgm
echo text >a/notes.txt
try compare a b --max-diff 1 --diff drawn --junit results.xml
try compare a b --max-diff 1 -v -q
try compare a b --max-diff 1 -v
try compare a b --json
(cd drawn && find . -type f)
python3 - <<'END'
import xml.etree.ElementTree as tree
suite = tree.parse("results.xml").getroot()
print(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"))
for case in suite:
    print(" ", case.get("name"), [(child.tag, child.get("message")) for child in case])
END
# A broken file is named, the others continue, and the exit status is 1.
printf 'P5 2 1 255 \001' >b/same.pgm
try compare a b --max-diff 3 --junit results.xml
grep -c '<error' results.xml
# The number of threads changes nothing.
for i in 1 2 3 4 5 6 7 8 9; do cp a/close.pgm "a/$i.pgm"; cp b/close.pgm "b/$i.pgm"; done
stencilcli compare a b -t 1 >one.txt 2>&1 || true
stencilcli compare a b -t 5 >five.txt 2>&1 || true
cmp one.txt five.txt
grep -c '^different' one.txt
mkdir empty
refuses 1 'no pictures' compare empty empty
refuses 2 'expected two pictures or two folders' compare a b/close.pgm
refuses 1 'results.xml' compare a/close.pgm a/close.pgm --junit none/results.xml -q
# Two folders of outputs: the other files of a batch are neither missing, extra nor left out.
mkdir pictures
cp a/close.pgm a/same.pgm pictures
stencilcli blur pictures one -q
stencilcli blur pictures two -q --shard 1/2
stencilcli blur pictures two -q --shard 2/2
: >two/.stencilcli-slurm-7_1.log
: >two/.same.pgm.stencilcli-0123456789abcdef-1
try compare one two
# Names are bytes: the XML is valid for any name, and --json reproduces the names.
mkdir odd
python3 - <<'END'
import os
for name in (b"\xef\xbf\xbf", b"\xef\xbf\xbe]]>", b"\xff\xfe", b"\xed\xa0\x80", b"a\nb\t\r\x01\x7f", b"'&<\">"):
    with open(b"odd/" + name + b".pgm", "wb") as file:
        file.write(b"P5 1 1 255 a")
END
stencilcli compare odd odd --junit odd.xml --json >odd.json
python3 - <<'END'
import json, os
import xml.etree.ElementTree as tree
names = {b"odd/" + name for name in os.listdir(b"odd")}
lines = [json.loads(line) for line in open("odd.json", encoding="utf-8")]
print(len(tree.parse("odd.xml").getroot()), "cases,",
      {os.fsencode(line["a"]) for line in lines} == names)
END
# Drawings that would replace the pictures, or lie among them, are refused beforehand.
cp b/close.pgm b.pgm
refuses 2 b.pgm compare a/close.pgm b.pgm --diff ./b.pgm
ln -s b.pgm link.ppm
refuses 2 link.ppm compare a/close.pgm b.pgm --diff link.ppm
for where in a b/ b/new/deep two/../b/sub; do refuses 2 "$where" compare a b --diff $where; done
cmp b/close.pgm b.pgm
[ ! -e b/new ]
# Symlinks to files and folders are followed; loops and pipes are skipped.
ln -s ../pictures two/linked
ln -s . two/loop
mkfifo two/pipe.pgm
mkdir one/linked
cp pictures/* one/linked
try compare one two
chmod 0 one/linked
[ "$(id -u)" = 0 ] || refuses 1 one/linked compare one two
chmod 700 one/linked
