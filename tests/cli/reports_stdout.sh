# A report on standard output is alone there: text and JSON go to standard error.
. "$CLI/lib"
# check KIND TEXT ARGS: standard output is a whole KIND, and standard error holds TEXT
check() {
    kind=$1 text=$2
    shift 2
    stencilcli "$@" 2>said | python3 "$CLI/report_alone.py" "$kind" "$text"
}
stencilcli blur "$TESTDATA/photo.png" b.png
printf '0 b.png\n' >golden.txt
stencilcli golden record . -q
check png 'pixels that differ' compare "$TESTDATA/photo.png" b.png --diff -
for report in - /dev/stdout; do
    check xml 'pixels that differ' compare "$TESTDATA/photo.png" b.png --junit $report
    check xml '"result"' compare "$TESTDATA/photo.png" b.png --json --junit $report
    check xml '1 case: 1 same' golden check . --junit $report
    check html '1 case: 1 same' golden check . --html $report
    check png '"output"' blur "$TESTDATA/photo.png" $report --format png --json
done
# A plan is no picture: it stays on standard output.
stencilcli blur "$TESTDATA/photo.png" - --plan 2>said | grep -c '^mask'
