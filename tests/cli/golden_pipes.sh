# golden: pictures are regular files, and signals end a run that reads a picture.
. "$CLI/lib"
mkdir scratch
export TMPDIR="$PWD/scratch"
mkfifo picture.pgm
printf '0 a.pgm mkfifo a.pgm\n0 picture.pgm\n' >golden.txt
try golden check golden.txt
printf 'inputs picture.pgm\n0 a.pgm true\n' >golden.txt
try golden check golden.txt
[ -z "$(ls scratch)" ]
# A picture with more rows than this test has time for: 2^31 - 1 rows in a file with a hole.
printf 'P5 60000 60000 255\n' >large.pgm
truncate -s 3600000019 large.pgm
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
