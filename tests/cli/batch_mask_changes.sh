# A mask file that changes while a batch runs: what was made with the other mask is told and not
# noted, so that the next run makes the whole with one mask.
. "$CLI/lib"
mkdir in
for number in $(seq 100 139); do cp "$TESTDATA/photo.png" in/$number.png; done
cp "$MASKS/gauss5.txt" mask.txt
echo '1 2 3' >other.txt
"$STENCILCLI" blur in out --mask mask.txt --repeat 150 -t 1 2>messages &
until [ -e out/102.png ]; do :; done # no process, lest the run be done before it
mv other.txt mask.txt
code=0
wait $! || code=$?
echo "exit $code"
grep -q 'stencilcli: in/1[0-9]*.png: the mask has changed since the run began' messages
stencilcli blur in out --mask mask.txt --repeat 150 -q
stencilcli blur in whole --mask mask.txt --repeat 150 -q
for file in whole/*.png; do cmp "$file" "out/${file#whole/}"; done
