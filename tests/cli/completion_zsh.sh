# The zsh completion, called by an interactive zsh on its own terminal.
. "$CLI/lib"
command -v zsh >/dev/null || skip 'no zsh'
zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip 'zsh has no zpty'
mkdir bin
ln -s "$STENCILCLI" bin/stencilcli
cp "$TESTDATA/textbook.pgm" input.pgm
stencilcli --completion zsh >_stencilcli
zsh -n _stencilcli
cat >ask.zsh <<'END'
unsetopt beep
ask() {
    local line
    [[ -e finished ]] && return
    for line in 'stencilcli blu' 'stencilcli --sigma 2 blu' 'stencilcli blur --bord' \
        'stencilcli blur -b mi' 'stencilcli blur --border=mi' 'stencilcli list fil' \
        'stencilcli list --js' 'stencilcli blur inp' 'stencilcli compare a b --diff=inp' \
        'stencilcli sobel --sig' 'stencilcli blur -m gauss5'; do
        BUFFER=$line CURSOR=$#line
        zle complete-word
        print -r -- "$line => $BUFFER" >>answers
    done
    : >finished
}
zle -N ask
bindkey '^T' ask
END
cat >drive.zsh <<'END'
zmodload zsh/zpty
zpty shell "TERM=dumb PATH=$PWD/bin:$PATH zsh -f -i"
zpty -w shell 'autoload -U compinit && compinit -u -D; source ./_stencilcli; source ./ask.zsh'
# A key that is typed before the shell is ready may be lost.
for i in {1..150}; do
    [[ -e finished ]] && break
    (( i % 10 == 1 )) && zpty -w -n shell $'\C-t'
    zpty -r -t shell text
    sleep 0.1
done
zpty -d shell
END
HOME="$PWD" zsh -f drive.zsh
cat answers
