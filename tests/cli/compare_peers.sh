# The results equal those of ImageMagick's compare on 50 pairs of pictures.
. "$CLI/lib"
command -v compare >which.txt || skip "no compare of ImageMagick"
compare -version | grep -q ImageMagick || skip "compare is not ImageMagick's"
python3 "$CLI/compare_peers.py"
