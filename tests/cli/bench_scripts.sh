# The bench scripts: usage, a one-line message for each error, tables between their markers.
. "$CLI/lib"
scripts=$CLI/../../scripts
for script in bench_batch bench_peers bench_video bench_gpu_peers bench_gpu_pipeline \
    bench_gpu_table make_huge; do
    "$scripts/$script" -h >usage
    grep -q "^usage: $script" usage
done
wrong() { # wrong SCRIPT OPTIONS: one line on standard error, exit status 1
    name=$1
    shift
    status=0
    "$scripts/$name" "$@" >stdout 2>stderr || status=$?
    [ $status -eq 1 ]
    [ "$(wc -l <stderr)" -eq 1 ]
    [ ! -s stdout ]
    cat stderr
}
wrong bench_peers --jobs small,huge
wrong bench_peers --runs 0
wrong bench_peers --write --jobs small
wrong bench_peers --program ./none
wrong bench_batch --files 9
wrong bench_batch --device cpu,gpu
wrong bench_batch --device cpu --write
wrong bench_batch --program ./none
wrong bench_video --runs 0
wrong bench_video --program ./none
wrong bench_gpu_peers --widths 3,x
wrong bench_gpu_pipeline --folder ./none
wrong bench_gpu_table --runs 0
wrong bench_gpu_table --only yellow
wrong bench_gpu_table --program ./none
TMPDIR=$PWD PYTHONDONTWRITEBYTECODE=1 python3 - "$scripts" <<'END'
import pathlib
import sys
sys.path.insert(0, sys.argv[1])
import bench_common
path = pathlib.Path("table.md")
path.write_text("a\n<!-- x table: y -->\nold\nold\n<!-- /x table -->\nb\n")
bench_common.replace_between(path, "x table", ["new"])
print(path.read_text(), end="")
try:
    bench_common.replace_between(path, "z table", ["new"])
except SystemExit as problem:
    print(str(problem).removeprefix(": ").split(": ", 1)[-1])
elapsed, peak = bench_common.timed([sys.executable, "-c", "x = b'x' * (200 << 20)"])
print(elapsed > 1, peak > 200)
try:
    bench_common.timed(["sh", "-c", "echo why >&2; exit 3"])
except OSError as problem:
    print(problem)
END
# A small job from start to end: a row for this program, and one for each installed peer, of which
# OpenCV is hidden.
PKG_CONFIG_LIBDIR=none CXX=none TMPDIR=$PWD "$scripts/bench_peers" --jobs small --runs 1 --program "$STENCILCLI" >table 2>stderr
grep -q '^| 512×512 PNG | stencilcli | [0-9]' table
# A small folder on two devices, which are really one.
if command -v "${CC:-cc}" >/dev/null; then
    TMPDIR=$PWD "$scripts/bench_batch" --files 10 --runs 1 --device cpu,cpu \
        --program "$STENCILCLI" >table 2>>stderr
    grep -q '^| cpu | [0-9.]* | [0-9.]* | [0-9.]* | decode [0-9]* %, filter [0-9]* %, enc' table
    grep -q '^cpu / cpu: 1.000$' table
fi
[ "$(ls)" = "$(printf '%s\n' stderr stdout stencilcli-bench table table.md usage)" ] || ls
