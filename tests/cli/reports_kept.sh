# No output replaces a file that the command reads, or another output; a report replaces only a
# report.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" a.pgm
stencilcli blur a.pgm b.pgm
printf -- '- - true\n' >golden.txt
echo '1 2 1' >mask.txt
echo '<project/>' >project.xml
for file in a.pgm b.pgm golden.txt mask.txt project.xml; do cp $file before.$file; done
kept() {
    for kept_file in a.pgm b.pgm golden.txt mask.txt project.xml; do
        cmp $kept_file before.$kept_file || cp before.$kept_file $kept_file
    done
}
try compare a.pgm b.pgm --junit a.pgm
try golden check golden.txt --junit golden.txt
try golden check golden.txt --html golden.txt
try golden check . --html golden.txt
try bench a.pgm --runs 1 --kernel scalar --plot a.pgm
try bench a.pgm --runs 1 --kernel scalar --mask mask --plot mask.txt
try compare a.pgm b.pgm --diff ./b.pgm
try convolve a.pgm mask.txt --mask mask.txt
try signal before.mask.txt mask.txt --mask mask.txt
ln b.pgm linked.pgm
ln -s b.pgm symlink.pgm
try compare a.pgm b.pgm --diff linked.pgm
try compare a.pgm b.pgm --diff symlink.pgm
try compare a.pgm project.xml --junit project.xml
kept
try golden check golden.txt --junit before.a.pgm
try golden check golden.txt --html project.xml
kept
# Two outputs.
try compare a.pgm b.pgm --diff d.png --junit d.png
try golden check golden.txt --html new.html --junit ./new.html
try golden check golden.txt --html - --junit - -q >/dev/null
[ ! -e d.png ] && [ ! -e new.html ]
# Standard output is one of the files.
for words in 'a.pgm -' 'a.pgm /dev/stdout' '- -' '- /proc/self/fd/1'; do
    code=0
    stencilcli blur $words <a.pgm 1<>a.pgm 2>message.txt || code=$?
    echo "blur $words: exit $code: $(cat message.txt)"
    kept
done
code=0
stencilcli blur a.pgm - >>a.pgm 2>message.txt || code=$?
echo "exit $code: $(cat message.txt)"
kept
# INPUT may be OUTPUT, and one device may take everything.
stencilcli blur a.pgm a.pgm
cmp a.pgm b.pgm
stencilcli blur - b.pgm <b.pgm
stencilcli golden check golden.txt --junit /dev/null --html /dev/null -q
# The report of an earlier run is replaced, and so is an empty file.
: >r.xml
for turn in 1 2; do
    stencilcli golden check golden.txt --junit r.xml --html r.html -q
    stencilcli bench a.pgm --runs 1 --kernel scalar --plot r.svg >bench.txt
done
head -c 5 r.xml
