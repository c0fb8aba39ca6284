# Text quoted in a message stays on one line and cannot control the terminal.
. "$CLI/lib"
refuses 2 'unknown' "$(printf 'two\nlines\033[2J')"
refuses 2 '--sigma' blur a b --sigma "$(printf '1\r2')"
refuses 2 'unknown' "$(printf 'latin1-\351')"
refuses 2 'unknown option' "$(printf -- '-\351')"
