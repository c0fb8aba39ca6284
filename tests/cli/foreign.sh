# A file in a format that is not read is named by what it is, by its first bytes, whatever its name
# is; the sentence ends with a command that turns it into a picture.
. "$CLI/lib"
is() { # is TITLE BYTES [NAME]
    name=${3:-x.png}
    # shellcheck disable=SC2059
    printf "$2" >"$name"
    code=0
    stencilcli blur "$name" out.png 2>message || code=$?
    [ $code = 1 ] || echo "$1: exit $code"
    sed 's/^stencilcli: //' message
    grep -q "is $1, which is not read" message || echo "not $1"
}
is HEIC '\0\0\0\034ftypheic' 'a photo.heic'
is HEIC '\0\0\0\034ftypheix'
is HEIC '\0\0\0\034ftyphevc'
is HEIF '\0\0\0\034ftypmif1'
is AVIF '\0\0\0\034ftypavif'
is AVIF '\0\0\0\034ftypavis'
is 'MP4 or MOV video' '\0\0\0\040ftypisom'
is 'AVI video' 'RIFF\0\0\0\0AVI LIST'
is PDF '%%PDF-1.7'
is 'JPEG XL' '\377\012\357\100'
is 'JPEG XL' '\0\0\0\014JXL \r\n\207\n'
is 'JPEG 2000' '\0\0\0\014jP  \r\n\207\n'
is 'JPEG 2000' '\377\117\377\121'
is SVG '<?xml version="1.0"?>\n<!-- a comment -->\n<svg xmlns="x">'
is SVG '\357\273\277 <svg>'
is 'an HTML page' '\n<!DOCTYPE HTML><body><svg>' photo.jpg
is 'an HTML page' '<HTML>'
is "a RAW photograph" 'II*\0' x.NEF
is "a RAW photograph" 'MM\0*' x.dng
is "a RAW photograph (CR2)" 'II*\0\020\0\0\0CR\2\0'
is "a RAW photograph (CR3)" '\0\0\0\030ftypcrx '
is "a RAW photograph (CRW)" 'II\032\0\0\0HEAPCCDR'
is "a RAW photograph (RAF)" 'FUJIFILMCCD-RAW 0201'
is "a RAW photograph (ORF)" IIRO
is "a RAW photograph (RW2)" 'IIU\0'
is "a RAW photograph (MRW)" '\0MRM'
is "a RAW photograph (X3F)" FOVb
is EXR 'v/1\1\2'
is 'Radiance HDR' '#?RADIANCE\n'
is DPX SDPX
is FITS 'SIMPLE  =                    T'
is QOI qoif
is DDS 'DDS |'
is XCF 'gimp xcf v011'
is XPM '/* XPM */'
is PFM 'PF\n1 1\n'
is SGI '\1\332\1\1'
is PCX '\012\5\1\010'
is ICO '\0\0\1\0\1\0'
# Names in a shell's words.
is DDS 'DDS |' "it's \$HOME.dds"
is DDS 'DDS |' a:b.dds
printf 'DDS |' >-x.dds
try blur -- -x.dds out.png
long=$(printf '%0200d' 0)
mkdir -p $long/$long/$long
is DDS 'DDS |' $long/$long/$long/x.dds | sed 's/0000*/0/g'
printf 'DDS |' | stencilcli blur - out.png 2>&1 || :
# Other bytes are not guessed at.
for bytes in GIF '\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\030\0' 'ftypheic' '<?xml?>' '\0\0\2\0\0\0\0\0\0\0\0\0\0\0\1\0\030\0' 'P7 x' text; do
    # shellcheck disable=SC2059
    printf "$bytes" >x.png
    stencilcli blur x.png out.png 2>&1 || :
done
# In a folder, in a comparison.
mkdir in
printf 'DDS |' >in/x.png
try blur in out -q
try compare x.png in/x.png
[ ! -e out.png ]
