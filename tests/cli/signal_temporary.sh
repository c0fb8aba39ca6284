# A signal while a temporary exists beside the output: the temporary is removed. (On a fast machine
# the output may be complete before the signal arrives; then no other file may exist.)
. "$CLI/lib"
export STENCILCLI_NAMED_TEMPORARIES=1 # as on a file system without unnamed files
python3 -c 'import os, sys
sys.stdout.buffer.write(b"P6 2400 2400 255\n" + os.urandom(2400 * 2400 * 3))' >in.ppm
"$STENCILCLI" blur in.ppm out.png --threads 1 &
while [ "$(ls -A)" = in.ppm ] && kill -0 $! 2>/dev/null; do
    sleep 0.01
done
kill -TERM $! 2>/dev/null || true
code=0
wait $! 2>/dev/null || code=$?
case $code in
143) [ -e out.png ] || alone in.ppm ;;
0) ;;
*) echo "exit $code" ;;
esac
[ ! -e out.png ] || alone in.ppm out.png
