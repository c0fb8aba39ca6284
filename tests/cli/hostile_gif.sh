# Damaged pictures: see the function in lib.
. "$CLI/lib"
hostile gif
