# Files with a hole of 20 GB, endless devices, and pipes that bring less than their header promises:
# one sentence within a second, with little memory.
. "$CLI/lib"
limit_memory 4000000
truncate -s 20G hole || skip 'no files of 20 GB'
cp "$TESTDATA/textbook.pgm" a.pgm
mkdir in
cp a.pgm in
for file in hole /dev/zero; do
    refuses 2 $file blur a.pgm out.pgm --mask $file
    refuses 2 $file golden check $file
    refuses 1 $file signal $file out.txt --mask '1 2 1'
    refuses 1 $file blur in out --files-from $file
    refuses 1 $file blur $file out.pgm
    refuses 1 $file compare a.pgm $file
done
find in -type f -print0 >names
refuses 1 'use -0' blur in out --files-from names
printf BM >begun
truncate -s 20G begun
refuses 1 begun blur begun out.png
printf 'RIFF....WAVEfmt ' >begun
truncate -s 20G begun
[ "$(ulimit -v)" = unlimited ] || refuses 1 begun signal begun out.txt --mask '1 2 1'
# promises WORDS HEADER: the pipe brings 20 bytes after the header.
promises() {
    { printf "$2" && printf '12345678901234567890'; } >pipe
    for promises_more in '' '--border wrap' '--repeat 2'; do
        refuses 1 "$1" blur - out.pam $promises_more <pipe
    done
}
promises 'standard input' 'P7\nWIDTH 2147483647\nHEIGHT 4\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
promises 'standard input' 'P7\nWIDTH 90000000\nHEIGHT 4\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
promises 'standard input' 'P5 4 2147483647 65535\n'
promises 'standard input' 'P2 2147483647 4 255\n1 2 '
[ ! -e out ]
alone a.pgm begun hole in names pipe
