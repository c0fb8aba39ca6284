# Little memory: under a small limit (a cgroup, ulimit -v, ulimit -d) a run does what fits, on fewer
# threads if need be, and says what does not fit; it never dies. With many threads as much fits as
# with one.
. "$CLI/lib"
mkdir in
{ printf 'P6 2000 1500 255\n' && head -c 9000000 /dev/urandom; } >x.ppm
stencilcli convolve x.ppm x.png --mask identity
stencilcli convolve x.ppm x.bmp --mask identity
for number in 1 2 3 4; do
    ln x.png in/$number.png
    ln x.bmp in/$number.bmp
done
stencilcli blur x.png whole.png -q
stencilcli blur x.bmp whole.bmp -q
(ulimit -v 4000000 && stencilcli blur x.png y.png -q 2>sanitizer) || skip "a sanitizer's memory"

# limited KIND KILOBYTES ARGS...: runs the program with the limit; the exit status is $code.
limited() {
    limited_kind=$1 limited_kilobytes=$2
    shift 2
    code=0
    case $limited_kind in
    cgroup)
        echo $((limited_kilobytes * 1024)) >"$group/$limit_file"
        sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$STENCILCLI" "$@" \
            >said 2>&1 || code=$?
        ;;
    ulimit) # shellcheck disable=SC3045
        (ulimit -v "$limited_kilobytes" && exec "$STENCILCLI" "$@") >said 2>&1 || code=$? ;;
    data) # shellcheck disable=SC3045
        (ulimit -d "$limited_kilobytes" && exec "$STENCILCLI" "$@") >said 2>&1 || code=$? ;;
    esac
}
# fits KIND KILOBYTES [all]: exit 0, or exit 1 with sentences; as much with -t 8 as with -t 1. With
# `all` there is memory for each file of the folder.
fits() {
    for case in 'blur x.png out.png' 'blur x.bmp out.bmp' 'gauss x.png out2.png --sigma 9' \
        'gauss x.png out3.png --sigma 30' 'blur in out'; do
        for threads in 1 8; do
            rm -rf out*
            # shellcheck disable=SC2086
            limited "$1" "$2" $case -t $threads -q
            [ $code = 0 ] || [ $code = 1 ] || echo "$1 $2 KiB, $case, -t $threads: exit $code"
            [ $code = 0 ] || grep -q 'no memory' said || cat said
            [ ! -e out.png ] || cmp out.png whole.png
            [ ! -e out.bmp ] || cmp out.bmp whole.bmp
            find . -path './out*' -type f | sort >there$threads
        done
        cmp there1 there8 || echo "$1 $2 KiB, $case: more with one thread"
    done
    [ "${3:-}" != all ] || [ "$(ls out | grep -c .)" = 8 ] || cat said
    for file in out/*; do
        [ ! -e "$file" ] || cmp "$file" whole."${file##*.}"
    done
}
# Below this much address space not even the system's loader fits: kernels for many GPUs make the
# program large.
least=8000
until (ulimit -v $least && exec "$STENCILCLI" --version) >said 2>&1; do
    least=$((least + 500))
done 2>shell_said
for more in 500 1000 1500 2000; do fits ulimit $((least + more)); done
# Wherever the address space ends, there is still room for the stack.
more=0
while [ $more -lt 3000 ]; do
    limited ulimit $((least + more)) gauss x.png out.png --sigma 30 -t 1 -q
    [ $code -le 1 ] || echo "ulimit $((least + more)) KiB: exit $code"
    more=$((more + 8))
done
fits ulimit $((least + 136000)) all
fits data 10000
fits data 40000
# The limit of a cgroup is not told to malloc, and the kernel ends whoever exceeds it.
for root in /sys/fs/cgroup /sys/fs/cgroup/memory; do
    for limit_file in memory.max memory.limit_in_bytes; do
        group=$root/stencilcli-test-$$
        mkdir "$group" 2>refused || continue
        trap 'rmdir "$group"' EXIT
        [ ! -e "$group/$limit_file" ] || break 2
        rmdir "$group"
        trap - EXIT
    done
    group=
done
if [ -n "$group" ]; then
    for kilobytes in 8000 20000; do fits cgroup $kilobytes; done
    fits cgroup 60000 all
    # The 8 threads of a run do not take what the files need.
    limited cgroup 60000 blur in out -t 8 --force
    grep -q 'of work on 1 thread$' said || cat said
fi
