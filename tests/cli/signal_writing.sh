# A signal while the output is written into a pipe that no process reads: the pipe stays a pipe, and
# no other file is left.
. "$CLI/lib"
python3 -c 'import sys; sys.stdout.buffer.write(b"P6 700 700 255\n" + bytes(700 * 700 * 3))' >in.ppm
mkfifo out
"$STENCILCLI" blur in.ppm out --format ppm &
exec 3<out
sleep 0.5
kill -TERM $!
code=0
wait $! 2>/dev/null || code=$?
exec 3<&-
echo "exit $code"
[ -p out ]
alone in.ppm out
