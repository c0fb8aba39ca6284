# Outputs that cannot be written: in a missing folder, at a path below a file, where a folder is, on
# a full disk.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
mkdir -p folder/in.pgm
refuses 1 nowhere/out.pgm blur in.pgm nowhere/out.pgm
refuses 1 in.pgm/out.pgm blur in.pgm in.pgm/out.pgm
refuses 1 folder/in.pgm blur in.pgm folder
refuses 1 /dev/full blur in.pgm /dev/full --format pgm
code=0
stencilcli blur in.pgm - >/dev/full 2>err || code=$?
echo "stdout: exit $code: $(cat err)"
[ -z "$(ls -A folder/in.pgm)" ]
[ -c /dev/full ]
alone err folder in.pgm
