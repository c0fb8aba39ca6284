# Printed text must arrive: a full disk and a closed standard output are errors.
. "$CLI/lib"
for words in \
    -h --help --version --man '--completion bash' 'list filters' 'list kernels --json' 'mask gauss5'; do
    code=0
    # shellcheck disable=SC2086
    "$STENCILCLI" $words >/dev/full 2>err || code=$?
    echo "$words: exit $code: $(cat err)"
done
code=0
"$STENCILCLI" --version >&- 2>err || code=$?
echo "closed: exit $code: $(cat err)"
# A reader that has exited is not reported as an error: the program ends by SIGPIPE.
{ sleep 0.3; code=0; "$STENCILCLI" --help 2>err || code=$?; echo "$code" >code; } | true
echo "reader gone: exit $(cat code): $(cat err)"
