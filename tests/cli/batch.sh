# A folder of pictures: the outputs form the same tree, each file with the bytes of a single run; a
# broken file is named and the others continue; messages and --json come in the order of names.
. "$CLI/lib"
mkdir -p in/b/c in/d
cp "$TESTDATA/photo.png" in/b/photo.png
cp "$TESTDATA/photo.png" in/b/UPPER.PNG
cp "$TESTDATA/textbook.pgm" in/b/c/gray.pgm
stencilcli blur in/b/photo.png in/a.ppm
stencilcli blur in/b/photo.png in/d/z.jpg
stencilcli blur in/b/photo.png in/d/y.bmp
stencilcli blur in/b/photo.png in/b-.pam
head -c 3000 in/b/photo.png >in/b/broken.png
echo 'no picture' >in/b/none.png
echo 'no picture' >in/b/notes.txt
for threads in 1 2 5; do
    code=0
    stencilcli sharpen in out$threads -t $threads --json >json$threads 2>messages || code=$?
    echo "$threads threads: exit $code"
    sed 's/;.*//; s/\(truncated PNG\).*/\1/; /of work on/d' messages
    cut -d, -f1-3 json$threads | sed "s/out$threads/out/" >order$threads
    cmp order1 order$threads
    for name in a.ppm b-.pam b/UPPER.PNG b/c/gray.pgm b/photo.png d/y.bmp d/z.jpg; do
        mkdir -p alone/${name%/*}
        stencilcli sharpen in/$name alone.${name##*.}
        cmp alone.${name##*.} out$threads/$name
        rm alone.${name##*.}
    done
    (cd out$threads && find . -type f | sort)
done
cat order1
# With -q no progress and no summary; failures are still reported.
stencilcli sharpen in quiet -q 2>messages && exit 1
grep -c . messages
grep -c 'in/b/' messages
# --fsync changes no byte.
stencilcli sharpen in synced --fsync -q 2>messages && exit 1
for file in $(cd out1 && find . -type f ! -name '.stencilcli*'); do
    cmp out1/$file synced/$file
done
stencilcli sharpen in/a.ppm synced.ppm --fsync
cmp synced.ppm out1/a.ppm
# The first failure, or the N-th, ends the batch: later files are not started.
for option in --fail-fast '--max-failures 2'; do
    code=0
    stencilcli sharpen in some -t 1 --force $option 2>messages || code=$?
    echo "$option: exit $code, $(sed -n 's/.*files: \(.*\);.*/\1/p' messages)"
done
# Files that wait for cores or memory when another file fails are not started either. The first file
# is large and damaged at its end.
mkdir waiting
python3 - <<'END'
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open("waiting/a.png", "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 9000, 9000, 8, 0, 0, 0, 0)))
    out.write(chunk(b"IDAT", zlib.compress(bytes(9001 * 8990), 1)) + chunk(b"IEND", b""))
END
for name in b c d e; do cp in/b/photo.png waiting/$name.png; done
code=0
stencilcli blur waiting waited --fail-fast -t 4 2>messages || code=$?
echo "waiting: exit $code, $(sed -n 's/.*files: \(.*\);.*/\1/p' messages)"
# A low limit of open files means fewer files at a time, not failures.
mkdir many
for number in $(seq 100 139); do cp in/b/photo.png many/$number.png; done
(ulimit -n 40 && stencilcli sharpen many many.out -t 40 -q)
# A low limit of address space means fewer threads, too: a file fails only if it would fail alone.
for kilobytes in 400000 200000; do
    (ulimit -v $kilobytes && stencilcli sharpen in/b/photo.png alone.png -t 40 -q 2>sanitizer) ||
        continue
    (ulimit -v $kilobytes && stencilcli sharpen many many.out -t 40 -q --force)
done
