# The alpha modes, computed by hand for two pixels: red 200 with alpha 100 beside red 40 with alpha
# 0, mask 1 1 1 / 3 (the ghost cells repeat the edge).
#   weighted, left:  sum w*a = 100 + 100 + 0 = 200, sum w*c*a = 200*200; W/d = 3/3, so c = 200;
#                    alpha = round(200/3) = 67.  right: sum w*a = 100, c = 200, alpha = 33
#   ignore, left:    (200 + 200 + 40)/3 = 146.67; right: (200 + 40 + 40)/3 = 93.33; alpha unchanged
#   plain:           colour as ignore, alpha 66.67 and 33.33
. "$CLI/lib"
printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' >in.pam
printf '\310\000\000\144\050\000\000\000' >>in.pam
for mode in weighted ignore plain; do
    stencilcli convolve in.pam out.pam --mask '1 1 1' --divisor 3 --alpha $mode
    echo "$mode: $(samples out.pam | tail -n 1)"
done
stencilcli convolve in.pam out.pam --mask '1 1 1' --divisor 3
echo "default: $(samples out.pam | tail -n 1)"
stencilcli convolve in.pam out.ppm --mask '1 1 1' --divisor 3 --alpha drop
echo "drop: $(samples out.ppm | tail -n 1)"
# A fully transparent neighbourhood gets the plain value; a negative weight means as with ignore.
stencilcli convolve in.pam out.pam --mask '0 0 1'
echo "clear: $(samples out.pam | tail -n 1)"
stencilcli convolve in.pam out.pam --mask '-1 3 -1'
stencilcli convolve in.pam ignored.pam --mask '-1 3 -1' --alpha ignore
cmp out.pam ignored.pam
# An opaque RGBA picture gets the colours of the RGB picture with equal colours.
printf 'P6 3 1 255\n\001\002\003\144\145\146\377\376\375' >rgb.ppm
printf 'P7\nWIDTH 3\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' >rgba.pam
printf '\001\002\003\377\144\145\146\377\377\376\375\377' >>rgba.pam
for border in replicate zero constant:7 mirror; do
    stencilcli blur rgb.ppm a.ppm --border $border --offset 3
    stencilcli blur rgba.pam b.ppm --border $border --offset 3 --alpha drop
    cmp a.ppm b.ppm
done
