# Without any words: the one screen of help, on standard error.
code=0
"$STENCILCLI" >out 2>err || code=$?
echo "exit $code"
[ ! -s out ]
"$STENCILCLI" -h | cmp - err
