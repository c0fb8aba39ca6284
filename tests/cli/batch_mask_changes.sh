# A mask file that changes while a batch runs: the run reads its mask once, so all its outputs use
# the first mask; the next run makes all of them again with the new mask.
. "$CLI/lib"
mkdir in
for number in $(seq 100 139); do cp "$TESTDATA/photo.png" in/$number.png; done
cp "$MASKS/gauss5.txt" mask.txt
echo '1 2 3' >other.txt
stencilcli blur in first --mask mask.txt --repeat 150 -q
stencilcli blur in second --mask other.txt --repeat 150 -q
"$STENCILCLI" blur in out --mask mask.txt --repeat 150 -t 1 -q &
until [ -e out/102.png ]; do :; done # starts no process, or the run might end first
mv other.txt mask.txt
code=0
wait $! || code=$?
echo "exit $code"
for file in first/*.png; do cmp "$file" "out/${file#first/}"; done
stencilcli blur in out --mask mask.txt --repeat 150 -q
for file in second/*.png; do cmp "$file" "out/${file#second/}"; done
