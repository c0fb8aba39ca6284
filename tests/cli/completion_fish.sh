# The fish completion, called as fish calls it.
. "$CLI/lib"
command -v fish >/dev/null || skip 'no fish'
export HOME="$PWD"
mkdir bin
cp "$TESTDATA/textbook.pgm" input.pgm
ln -s "$STENCILCLI" bin/stencilcli
export PATH="$PWD/bin:$PATH"
stencilcli --completion fish >completion.fish
cat >ask.fish <<'END'
source completion.fish
for line in 'stencilcli blu' 'stencilcli --sigma 2 blu' 'stencilcli blur --bord' \
            'stencilcli blur -b mi' 'stencilcli blur --border=mi' 'stencilcli list fil' \
            'stencilcli list --js' 'stencilcli blur inp' 'stencilcli compare a b --diff=inp' \
            'stencilcli sobel --sig' 'stencilcli list '
    echo "$line =>" (complete -C $line | string replace -r '\t.*' '')
end
END
fish --no-config ask.fish
