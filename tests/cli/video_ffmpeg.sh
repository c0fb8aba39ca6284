# Videos that ffmpeg writes are read, in every layout that it knows, and ffmpeg reads the output;
# the commands of the guide; interlaced videos, and the two ways out.
. "$CLI/lib"
command -v ffmpeg >tool || skip 'ffmpeg is not installed'
make() { # make SIZE OUTPUT OPTIONS...: three frames
    make_size=$1 make_output=$2
    shift 2
    ffmpeg -v error -f lavfi -i "testsrc2=size=$make_size:rate=25" -frames:v 3 "$@" \
        -strict -1 -f yuv4mpegpipe -y "$make_output"
}
for layout in yuv420p yuvj420p yuv422p yuv444p yuv411p gray yuv420p9 yuv422p9 yuv444p9 yuv420p10 \
    yuv422p10 yuv444p10 yuv420p12 yuv422p12 yuv444p12 yuv420p14 yuv422p14 yuv444p14 yuv420p16 \
    yuv422p16 yuv444p16 gray9 gray10 gray12 gray16; do
    make 77x35 in.y4m -pix_fmt ${layout}le 2>said || make 77x35 in.y4m -pix_fmt $layout 2>said || {
        echo "$layout is not written by this ffmpeg"
        continue
    }
    stencilcli convolve in.y4m out.y4m --mask identity
    cmp in.y4m out.y4m || echo "$layout"
    stencilcli blur in.y4m out.y4m
    ffmpeg -v error -i out.y4m -f null - || echo "$layout: ffmpeg does not read the output"
done
make 64x48 in.y4m -pix_fmt yuv420p
ffmpeg -v error -i in.y4m -f yuv4mpegpipe - | stencilcli gauss - - --sigma 2 |
    ffmpeg -v error -i - -f yuv4mpegpipe -y out.y4m
stencilcli gauss in.y4m expected.y4m --sigma 2
cmp out.y4m expected.y4m
ffmpeg -v error -i in.y4m -f image2pipe -c:v ppm - >in.ppm
stencilcli blur - - --format ppm <in.ppm | ffmpeg -v error -f image2pipe -c:v ppm -i - -f null -
# Frames as files are a folder.
mkdir frames
ffmpeg -v error -i in.y4m frames/%04d.ppm
stencilcli blur frames out -q
cat out/0001.ppm out/0002.ppm out/0003.ppm >all.ppm
stencilcli blur in.ppm - | cmp - all.ppm
make 64x48 in.y4m -pix_fmt yuv420p -vf setfield=tff
head -n 1 in.y4m | grep -o ' I.'
refuses 1 in.y4m blur in.y4m out.y4m
ffmpeg -v error -i in.y4m -vf yadif -f yuv4mpegpipe - | stencilcli blur - out.y4m
ffmpeg -v error -i in.y4m -vf setfield=prog -f yuv4mpegpipe - | stencilcli blur - out.y4m
