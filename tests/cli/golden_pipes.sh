# golden: pictures are regular files, and timeouts and signals end a run that reads one.
. "$CLI/lib"
mkdir scratch
export TMPDIR="$PWD/scratch"
mkfifo picture.pgm
printf '0 a.pgm mkfifo a.pgm\n0 picture.pgm\n' >golden.txt
try golden check golden.txt
printf 'inputs picture.pgm\n0 a.pgm true\n' >golden.txt
try golden check golden.txt
[ -z "$(ls scratch)" ]
# A picture that takes longer to read than this test has time for: a file with a hole.
printf 'P5 1000000 1000000 255\n' >large.pgm
truncate -s 1000000000023 large.pgm || skip 'no files of a terabyte'
printf 'timeout 1\n0 large.pgm\n' >golden.txt
try golden check golden.txt
[ -z "$(ls scratch)" ]
printf -- '- - touch ../started\n0 large.pgm\n' >golden.txt
for signal in TERM INT HUP USR1; do
    env --default-signal=INT,HUP "$STENCILCLI" golden check golden.txt -t 1 >/dev/null 2>&1 &
    pid=$!
    while [ ! -e scratch/*/started ]; do sleep 0.01; done
    kill -$signal $pid
    code=0
    wait $pid 2>wait.log || code=$?
    echo "$signal: $(kill -l $code)"
    [ -z "$(ls scratch)" ]
done
# The message of a failed command is the end of what it wrote, however much that is.
printf -- '- - head -c 300000000 /dev/zero >&2; (echo; echo last words) >&2; false\n' >golden.txt
(limit_memory 400000 && try golden check golden.txt -t 1)
# A suite is text of moderate size.
truncate -s 20G hole.txt
refuses 2 'too large for a suite' golden check hole.txt
refuses 2 'too large for a suite' golden check /dev/zero
