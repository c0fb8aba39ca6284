# Order filters on a GPU: the CPU's bytes, in whole pictures and in bands of a few rows.
. "$CLI/lib"
need_cuda
for border in replicate zero constant:77 reflect mirror wrap; do
    agrees "$gpu" 3 out.ppm median "$TESTDATA/photo.png" --border $border
    agrees "$gpu" 17 out.pgm rank "$TESTDATA/gray.png" --border $border --rank 30% \
        --mask '1 0 1; 0 0 1; 1 1 0'
    agrees "$gpu" 3 out.ppm dilate "$TESTDATA/photo.png" --border $border --radius 5
    agrees "$gpu" 17 out.ppm erode "$TESTDATA/photo.png" --border $border --shape disc --radius 3
    agrees "$gpu" 3 out.ppm open "$TESTDATA/photo.png" --border $border --radius 4
done
for filter in close outline tophat blackhat; do
    agrees "$gpu" 3 out.pam $filter "$TESTDATA/cutout.png" --mask '1 1 0; 0 1 1' --anchor 0,0
    agrees "$gpu" -1 out.pam $filter "$TESTDATA/cutout.png" --radius 2 --alpha ignore
    agrees "$gpu" 17 out.ppm $filter "$TESTDATA/deep.ppm" --border reflect --shape cross
done
for rows in -1 9; do
    agrees "$gpu" $rows out.pam median "$TESTDATA/deep_alpha.pam" --radius 2 --alpha plain
    agrees "$gpu" $rows out.pgm median "$TESTDATA/tenbit.pgm" --radius 3
    agrees "$gpu" $rows out.ppm median "$TESTDATA/photo.png" --radius 3 --channels rb
    agrees "$gpu" $rows out.ppm tophat "$TESTDATA/photo.png" --radius 3 --channels g --repeat 2
    agrees "$gpu" $rows out.ppm erode "$TESTDATA/photo.png" --repeat 3 --border mirror
    agrees "$gpu" $rows out.pgm median "$TESTDATA/textbook.pgm" --radius 9 --border reflect
done
# The ends of tiles, with windows that end anywhere in the tile's last bytes.
python3 -c 'import random
open("wide.ppm", "wb").write(b"P6 700 3 255 " + random.Random(1).randbytes(700 * 3 * 3))
open("deep.ppm", "wb").write(b"P6 300 3 65535 " + random.Random(2).randbytes(300 * 3 * 6))'
for name in wide.ppm deep.ppm; do
    for anchor in 0 1 2 3; do
        agrees "$gpu" -1 $name erode $name --anchor $anchor,0 --mask '1 0 1 1'
        agrees "$gpu" -1 $name dilate $name --anchor $anchor,1 --mask '1 1 1 1; 0 1 1 1; 1 1 1 0'
        agrees "$gpu" -1 $name dilate $name --anchor $anchor,0 --mask '1 1 1 1'
        agrees "$gpu" -1 $name rank $name --anchor $anchor,0 --mask '1 1 0 1' --rank 60
        agrees "$gpu" -1 $name median $name --anchor $anchor,2 \
            --mask '1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1; 1 1 1 1 1'
    done
    for radius in 1 2 3 4 5 6 7 20; do
        agrees "$gpu" -1 $name erode $name --radius $radius --border mirror
    done
done
# The kernels that --plan and --kernel name.
for words in 'median 1 network' 'median 2 bisect' 'dilate 31 extremes' 'blackhat 7 extremes'; do
    # shellcheck disable=SC2086
    set -- $words
    stencilcli "$1" "$TESTDATA/textbook.pgm" out.pgm --radius "$2" --kernel "$3" --verify -q
done
stencilcli median "$TESTDATA/gray.png" --radius 3 --device "$gpu" --plan | grep -q '^kernel *network'
stencilcli median "$TESTDATA/gray.png" --radius 4 --device "$gpu" --plan | grep -q '^kernel *bisect'
stencilcli open "$TESTDATA/gray.png" --radius 4 --device "$gpu" --plan | grep -q '^kernel *extremes'
refuses 2 'neither the least' median "$TESTDATA/gray.png" never.png --kernel extremes
refuses 2 'not the median' rank "$TESTDATA/gray.png" never.png --rank 40 --kernel network
refuses 2 'not for weighted sums' blur "$TESTDATA/gray.png" never.png --kernel bisect
refuses 2 'does not sort' median "$TESTDATA/gray.png" never.png --kernel tiled
