# Files that are no pictures by their names: a run counts them and names their kinds, in --json each
# of them; without any picture it says what is there.
. "$CLI/lib"
mkdir -p in/2026/raw in/raw empty
for name in a.pgm 2026/b.pgm 2026/raw/c.pgm d.PGM; do cp "$TESTDATA/textbook.pgm" in/$name; done
for name in 1.avif 2.AVif x.heic 2026/y.jxl 2026/raw/z.CR2 raw/notes.txt .DS_Store README; do
    echo x >in/$name
done
run() {
    printf '$ stencilcli'
    printf ' %s' "$@"
    echo
    stencilcli "$@" 2>messages || echo "exit $?"
    sed '/of work on/d; s/; [0-9.]* megapixels.*//' messages
}
run blur in out
run blur in out --json | sed "s/,\"input_bytes.*//"
run blur in quiet -q
run blur in verbose -v --kernel scalar | sort
run blur in planned --plan
# Patterns select images; what they do not select is not passed over.
run blur in some1 --include '2026/**'
run blur in some2 --include '*.{pgm,PGM}'
run blur in some3 --include 'raw/'
run blur in some4 --include '{2026,raw}/' --exclude '*.{jxl,txt}'
run blur in some5 --include 'y*'
(cd some1 && find . -name '*.pgm') | sort
# A pattern that says the extension takes the file.
run blur in some6 --include '*.heic' --include '2026/*'
# Each shard names its own files.
for shard in 1 2 3; do
    stencilcli blur in shards --shard $shard/3 --json 2>>messages | grep 'passed over' || :
done | sort >shards.json
stencilcli blur in out --json 2>messages | grep 'passed over' | sort | cmp shards.json -
# Names from a list are taken whatever their extension is.
printf '%s\n' a.pgm x.heic | stencilcli blur in listed --files-from - -q 2>&1 || echo "exit $?"
# Nothing to filter.
run blur empty none
run blur in none --exclude '*.[pP][gG][mM]'
run blur in none --include '*.png'
run blur in none --include old/ --exclude raw
run blur in/raw none --json
[ ! -e none ]
# Braces multiply.
six='{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}'
try blur in out --include "$six$six"
run compare in out
# PBM is read only: its output is PNG.
mkdir bits
printf 'P1 3 2\n0 1 0 1 1 0\n' >bits/a.pbm
run blur bits bits_out --plan
run blur bits bits_out -q
stencilcli blur bits/a.pbm a.png
cmp a.png bits_out/a.pbm.png
