# Inputs that are missing or are not files.
. "$CLI/lib"
refuses 1 missing.png blur missing.png out.png
refuses 1 file/in.png blur file/in.png out.png
echo text >file
refuses 1 file/in.png blur file/in.png out.png
refuses 1 empty.png blur empty.png out.png
: >empty.png
refuses 1 empty.png blur empty.png out.png
refuses 1 file blur file out.png
refuses 1 'standard input' blur - out.png --format png </dev/null
alone empty.png file
