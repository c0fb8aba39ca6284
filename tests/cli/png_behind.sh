# Bytes behind a PNG's compressed data are refused, however the data is cut into chunks.
. "$CLI/lib"
python3 "$CLI/png_behind.py"
