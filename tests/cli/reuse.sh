# The tables of the chapter and of the teaching kit, with notes where these print another digit.
. "$CLI/lib"
stencilcli reuse
stencilcli reuse --dims 1 --mask-width 11 --tile 32,128 | sed -n '/^  T/,/^1D/p'
stencilcli reuse --dims 1 --mask-width 5 --tile 8 | sed -n '/^  T/,/^  Thread/p'
