# The man page is valid roff.
. "$CLI/lib"
command -v groff >/dev/null || skip 'no groff'
stencilcli --man >stencilcli.1
groff -man -ww -Tutf8 stencilcli.1 >page 2>warnings
cat warnings
# No word was taken for a roff request, and no escape remains.
grep -q 'clamp(floor((S + floor(d/2)) / d), 0, max)' page
none '\\\\' page
if command -v man >/dev/null; then
    man -l --warnings stencilcli.1 2>warnings >/dev/null
    cat warnings
fi
