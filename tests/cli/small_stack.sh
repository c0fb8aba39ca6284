# A stack of 256 KiB is enough for every command, on one thread and on several.
. "$CLI/lib"
ulimit -s 256
for threads in 1 2; do
    for picture in photo.png gray.png rotated.jpg deep.ppm cutout.png; do
        for level in fast default small; do
            stencilcli blur "$TESTDATA/$picture" out.png -q -t $threads --png-level $level
        done
        stencilcli sobel "$TESTDATA/$picture" out.ppm --alpha drop -q -t $threads
        stencilcli blur "$TESTDATA/$picture" out.pam -q -t $threads --sigma 9
    done
done
stencilcli convolve "$TESTDATA/gray.png" out.jpg --mask box3 -q
stencilcli compare "$TESTDATA/gray.png" "$TESTDATA/gray.png" --diff diff.png -q
stencilcli reuse --size 640x480 >tables.txt
stencilcli list masks >masks.txt
stencilcli mask gauss5 >mask.txt
printf -- '0 a.pgm true\n- - true\n' >golden.txt
stencilcli golden check golden.txt -q >checked.txt || [ $? = 1 ]
stencilcli bench "$TESTDATA/textbook.pgm" --runs 1 --kernel scalar >bench.txt
stencilcli signal --mask '1 2 1' - - <<'END' >signal.txt
1 2 3
END
mkdir in
cp "$TESTDATA"/p*.png in
stencilcli blur in out -q
