# The zsh completion is zsh.
. "$CLI/lib"
command -v zsh >/dev/null || skip 'no zsh'
stencilcli --completion zsh >_stencilcli
zsh -n _stencilcli
