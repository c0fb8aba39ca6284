# Damaged pictures: see the function in lib.
. "$CLI/lib"
need_format webp
hostile webp
