# With closed standard files, no message and no data is written into a picture.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm expected.pgm
"$STENCILCLI" blur in.pgm out.pgm -v --time <&- >&- 2>&-
cmp expected.pgm out.pgm
code=0
"$STENCILCLI" blur in.pgm out.pgm --plan <&- >&- 2>err || code=$?
echo "exit $code: $(cat err)"
cmp expected.pgm out.pgm
code=0
"$STENCILCLI" blur - out.pgm <&- 2>err || code=$?
echo "exit $code"
cmp expected.pgm out.pgm
