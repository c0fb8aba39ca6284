# A report on standard output is alone there: text and JSON go to standard error.
. "$CLI/lib"
cat >check.py <<'EOF'
import sys
import xml.etree.ElementTree as tree
kind, data, said = sys.argv[1], sys.stdin.buffer.read(), open("said").read()
if kind == "xml":
    tree.fromstring(data)
good = {"xml": data.startswith(b"<?xml") and data.endswith(b"</testsuite>\n"),
        "html": data.startswith(b"<!DOCTYPE html>") and data.endswith(b"</html>\n"),
        "png": data.startswith(b"\x89PNG") and data[-8:-4] == b"IEND"}[kind]
print(kind, "whole:", good, "said:", sys.argv[2] in said)
EOF
# check KIND TEXT ARGS: standard output is a whole KIND, and standard error holds TEXT
check() {
    kind=$1 text=$2
    shift 2
    stencilcli "$@" 2>said | python3 check.py "$kind" "$text"
}
stencilcli blur "$TESTDATA/photo.png" b.png
printf '0 b.png\n' >golden.txt
stencilcli golden record . -q
cp "$TESTDATA/../tests/try/solved/basic.cu" kernel.cu
check png 'pixels that differ' compare "$TESTDATA/photo.png" b.png --diff -
for report in - /dev/stdout; do
    check xml 'pixels that differ' compare "$TESTDATA/photo.png" b.png --junit $report
    check xml '"result"' compare "$TESTDATA/photo.png" b.png --json --junit $report
    check xml '1 case: 1 same' golden check . --junit $report
    check html '1 case: 1 same' golden check . --html $report
    check xml 'kernel.cu' try kernel.cu --quick --junit $report
    check html 'kernel.cu' try kernel.cu --quick --html $report
    check html '"file"' try kernel.cu --quick --json --html $report
    check png '"output"' blur "$TESTDATA/photo.png" $report --format png --json
done
# A plan is no picture: it stays on standard output.
stencilcli blur "$TESTDATA/photo.png" - --plan 2>said | grep -c '^mask'
