# Samples survive a round trip through every format that can hold them.
. "$CLI/lib"
mkdir in
printf 'P5 3 2 255\n\000\001\002\200\376\377' >in/gray.pgm
printf 'P6 2 2 255\n\000\001\002\200\376\377abcdef' >in/rgb.ppm
size='P7\nWIDTH 2\nHEIGHT 1\nMAXVAL 255\n'
printf "${size}DEPTH 2\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\001\200\003\000" >in/gray_alpha.pam
printf "${size}DEPTH 4\nTUPLTYPE RGB_ALPHA\nENDHDR\nabc\200def\000" >in/rgb_alpha.pam
printf 'P5 2 2 65535\n\000\001\200\000\377\377\022\064' >in/gray16.pgm
printf 'P6 1 2 1023\n\003\377\000\001\002\000\001\000\000\000\003\376' >in/rgb10.ppm
through() { # FILE FORMATS...
    file=in/$1
    end=${1##*.}
    shift
    for format; do
        stencilcli convolve "$file" "middle.$format" --mask 1 --alpha ignore
        stencilcli convolve "middle.$format" "back.$end" --mask 1 --alpha ignore
        samples "$file" >before
        samples "back.$end" >after
        cmp before after || echo "$file through $format: $(tail -n 1 after)"
        rm "middle.$format" "back.$end"
    done
}
through gray.pgm pgm pam png pnm tga
through rgb.ppm ppm pam png bmp pnm tga
through gray_alpha.pam pam png tga
through rgb_alpha.pam pam png tga
through gray16.pgm pgm pam png
through rgb10.ppm ppm pam
# Plain text is read, binary is written; gray in .ppm becomes equal RGB.
printf 'P2\n# gray\n2 1\n# more\n7\n3 7\n' >in/ascii.pgm
stencilcli convolve in/ascii.pgm out.pgm --mask 1
samples out.pgm
stencilcli convolve in/ascii.pgm out.ppm --mask 1
samples out.ppm
# A maxval that the format cannot express is scaled: v*M/maxval, rounded.
printf 'P2 5 1 100\n0 1 50 99 100\n' >in/percent.pgm
stencilcli convolve in/percent.pgm out.png --mask 1
stencilcli convolve out.png out.pgm --mask 1
samples out.pgm
# The extension gives the format, in upper or lower case; --format overrides the name.
stencilcli convolve in/gray.pgm out.PGM --mask 1
cmp out.PGM in/gray.pgm 2>/dev/null || samples out.PGM
stencilcli convolve in/gray.pgm strange.name --mask 1 --format png
head -c 4 strange.name | tail -c 3
echo
