# A picture whose encoder would need more memory than there is ends with a sentence.
. "$CLI/lib"
need_format webp
{ printf 'P6 6000 4000 255\n' && head -c 72000000 /dev/zero; } >large.ppm
limit_memory 700000
[ "$(ulimit -v)" != unlimited ] || skip 'a sanitizer needs more addresses'
refuses 1 'out.webp: no memory to write 6000 x 4000 pixels' convolve large.ppm out.webp --mask 1
alone large.ppm
