# Damaged pictures: see the function in lib.
. "$CLI/lib"
hostile pbm pgm ppm pnm pam
