# The reports of `try` on standard output are alone there, too.
. "$CLI/lib"
need_try
# check KIND TEXT ARGS: standard output is a whole KIND, and standard error holds TEXT
check() {
    kind=$1 text=$2
    shift 2
    stencilcli "$@" 2>said | python3 "$CLI/report_alone.py" "$kind" "$text"
}
cp "$CLI/../try/solved/basic.cu" kernel.cu
for report in - /dev/stdout; do
    check xml 'kernel.cu' try kernel.cu --quick --junit $report
    check html 'kernel.cu' try kernel.cu --quick --html $report
    check html '"file"' try kernel.cu --quick --json --html $report
done
