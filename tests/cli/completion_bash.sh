# The bash completion, called as bash calls it.
. "$CLI/lib"
command -v bash >/dev/null || skip 'no bash'
mkdir masks here
echo '1 1 1' >masks/mymask.txt
echo '1 1 1' >"masks/\$(touch pwned).txt"
cp "$TESTDATA/textbook.pgm" here/input.pgm
export STENCILCLI_MASKS="$PWD/masks"
ln -s "$STENCILCLI" here/stencilcli
stencilcli --completion bash >completion
cat >ask <<'END'
. ./completion
ask() {
    COMP_WORDS=(./stencilcli "$@")
    COMP_CWORD=$#
    _stencilcli ./stencilcli
    echo "$* => ${COMPREPLY[*]}"
}
cd here
ask bl
ask list ''
ask list -
ask --sigma 2 -b wrap bl
ask blur --bord
ask blur -b mi
ask blur --border = mi
ask blur --border constant : 5 inp
ask blur --alpha ''
ask blur --format p
ask blur --tile ''
ask blur --sigma ''
ask blur inp
ask compare a b --diff = inp
ask compare a b --diff = nothing : inp
ask sobel --sig
ask blur -m mym
ask mask mym
ask mask '$'
ask golden ''
ask golden record ''
ask golden record s --h
ask golden check s --h
ask help bl
END
bash ask
[ ! -e pwned ]
[ ! -e here/pwned ]
