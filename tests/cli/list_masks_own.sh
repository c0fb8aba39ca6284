# The user's own masks: found first, in order, each name once; a broken mask is named.
. "$CLI/lib"
mkdir own more
printf '# my own\n1 2\n' >own/zz_mine.txt
printf '1\n' >own/gauss5.txt
printf '1 1\n1 1\n1 1\n' >more/zz_more.txt
printf '1 1 1\n' >more/zz_mine.txt
export STENCILCLI_MASKS="$PWD/own:$PWD/more:$PWD/missing"
stencilcli list masks | grep -E '^(zz_|gauss5)'
stencilcli list masks | awk '{ print $1 }' | LC_ALL=C sort -c
printf '1 x\n' >own/zz_broken.txt
code=0
stencilcli list masks >out 2>err || code=$?
echo "exit $code"
grep '^zz_broken' out | awk '{ print $1, $2 }'
sed "s#$PWD/##" err
