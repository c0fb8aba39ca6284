# Damaged videos give one line that names them, exit status 1 and no output; an old output is
# unchanged. Into a pipe, the planes before the damage are written.
. "$CLI/lib"
for path in "$TESTDATA"/hostile/*.y4m; do
    name=${path##*/}
    refuses 1 "$name" blur "$path" new.y4m
    refuses 1 'standard input' blur - new.y4m <"$path"
    echo old >kept.y4m
    refuses 1 "$name" blur "$path" kept.y4m
    read -r kept <kept.y4m
    [ "$kept" = old ] || echo "$name: the old output is gone"
    code=0
    cat "$path" | "$STENCILCLI" blur - - >out 2>said || code=$?
    [ $code = 1 ] || echo "$name: exit $code in a pipe"
    [ "$(wc -l <said)" = 1 ] || cat said
    case $name in
    cut_second* | garbage_behind*) [ "$(wc -c <out)" -ge 52 ] || wc -c out ;;
    esac
    alone kept.y4m out said
done
