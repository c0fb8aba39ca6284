# golden: an invalid suite is reported with the line; slow commands and signals end cleanly.
. "$CLI/lib"
mkdir scratch
export TMPDIR="$PWD/scratch"
suite() {
    printf '%s\n' "$@" >golden.txt
    try golden check golden.txt
}
suite ''
suite '# nothing'
suite '0'
suite '0123 out.png stencilcli blur a.png out.png'
suite '- out.png true'
suite '0 -'
suite '0 ../out.png true'
suite 'inputs ../../etc/passwd'
suite 'inputs none.png' '0 out.png true'
suite 'timeout never'
suite '  tolerance max-diff 1: why'
suite '0 a.pgm true' '  tolerance max-diff 1'
suite '0 a.pgm true' '  tolerance max-diff 1: '
suite '0 a.pgm true' '  tolerance max-dif 1: because'
suite '0 a.pgm true' '  tolerance min-ssim 2: because'
suite '0 a.pgm true' '  else'
suite '0 a.pgm true'
suite '0 a.pgm echo no picture >a.pgm'
suite '0 a.pgm kill -9 $$'
suite 'timeout 1' '0 a.pgm sleep 30 & sleep 30'
nap="sleep 31.$$" # unique to this test, if several run at once
suite "- - $nap &"
refuses 2 'expected record or check' golden look golden.txt
refuses 2 --html golden record golden.txt --html r.html
refuses 1 none.txt golden check none.txt
refuses 1 golden.txt golden check scratch
# SIGTERM: no folders or processes are left, and the suite is unchanged.
printf '0 a.pgm %s\n0 b.pgm %s\n' "$nap" "$nap" >golden.txt
cp golden.txt before.txt
"$STENCILCLI" golden record golden.txt -t 2 &
pid=$!
while [ "$(ls scratch/*/*.err 2>ls.log | wc -l)" -lt 2 ]; do sleep 0.05; done
kill -TERM $pid
code=0
wait $pid 2>wait.log || code=$?
echo "ended with $code"
cmp golden.txt before.txt
[ -z "$(ls scratch)" ]
still_runs() {
    grep -aqs "[s]leep.${nap#sleep }" /proc/[0-9]*/cmdline
}
end=$(($(date +%s) + 10)) # killed processes may exist for a moment
while still_runs && [ "$(date +%s)" -lt $end ]; do sleep 0.05; done
if still_runs; then echo "a command still runs"; fi
# Under nohup a hangup does not stop the run.
printf -- '- - sleep 0.5\n- - true\n' >golden.txt
env --ignore-signal=HUP "$STENCILCLI" golden check golden.txt -t 1 >hangup.txt &
pid=$!
while [ "$(ls scratch/*/*.err 2>ls.log | wc -l)" -lt 1 ]; do sleep 0.05; done
kill -HUP $pid
wait $pid
cat hangup.txt
# The caller may ignore SIGCHLD: a failing command still counts as failed.
printf -- '- - false\n' >golden.txt
code=0
env --ignore-signal=CHLD "$STENCILCLI" golden check golden.txt >ignored.txt || code=$?
echo "exit $code: $(cat ignored.txt)"
# A timeout of one second is a whole second, at any fraction of the clock's second.
printf 'timeout 1\n- - sleep 30\n' >golden.txt
python3 - <<'END'
import os, subprocess, time
time.sleep((0.7 - time.monotonic()) % 1)
begin = time.monotonic()
subprocess.run([os.environ["STENCILCLI"], "golden", "check", "-q", "golden.txt"],
               stdout=subprocess.DEVNULL)
if time.monotonic() - begin < 1:
    print("a second took", time.monotonic() - begin)
END
