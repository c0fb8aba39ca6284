# Standard input and output, devices and pipes.
. "$CLI/lib"
cp "$TESTDATA/textbook.pgm" in.pgm
stencilcli blur in.pgm expected.pgm
stencilcli blur - out.pgm <in.pgm
cmp expected.pgm out.pgm
# `-` writes the input's format, or the one of --format; a pipe has no known length.
stencilcli blur in.pgm - >out.pgm
cmp expected.pgm out.pgm
# shellcheck disable=SC2002
cat in.pgm | stencilcli blur - - | cat >out.pgm
cmp expected.pgm out.pgm
stencilcli blur - - --format pam <in.pgm >out.pam
head -c 2 out.pam
rm out.pam
echo
stencilcli blur "$TESTDATA/photo.png" - -q >photo
head -c 4 photo | tail -c 3
rm photo
echo
stencilcli blur in.pgm /dev/stdout --format pgm >out.pgm
cmp expected.pgm out.pgm
stencilcli blur /dev/stdin out.pgm <in.pgm
cmp expected.pgm out.pgm
# A device and a pipe are written, not replaced.
stencilcli blur in.pgm /dev/null --format pgm
[ -c /dev/null ]
mkfifo pipe.pgm
cat pipe.pgm >out.pgm &
stencilcli blur in.pgm pipe.pgm
wait $!
cmp expected.pgm out.pgm
[ -p pipe.pgm ]
alone expected.pgm in.pgm out.pgm pipe.pgm
