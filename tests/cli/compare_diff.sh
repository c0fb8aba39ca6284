# compare --diff: the picture shows the sample that differs, its row, its column and a scale.
. "$CLI/lib"
printf 'P2 4 2 255 10 20 30 40 50 60 70 80' >a.pgm
printf 'P2 4 2 255 10 20 30 40 50 60 77 80' >b.pgm
try compare a.pgm b.pgm --diff diff.ppm -q
python3 - diff.ppm <<'END'
import sys
data = open(sys.argv[1], "rb").read()
magic, size, top, samples = data.split(b"\n", 3)
width, height = map(int, size.split())
def pixel(x, y):
    at = 3 * (y * width + x)
    return tuple(samples[at:at + 3])
def colored(x, y):
    return max(pixel(x, y)) - min(pixel(x, y)) > 20
zoom, margin = 16, 6
assert len(samples) == 3 * width * height
centre = [(x, y) for y in range(2) for x in range(4)
          if colored(margin + x * zoom + 8, margin + y * zoom + 8)]
print("pixels in colour:", centre)
right = 2 * margin + 4 * zoom + 2
print("rows marked:", [y for y in range(2) if colored(right, margin + y * zoom + 8)])
below = 2 * margin + 2 * zoom + 2
print("columns marked:", [x for x in range(4) if colored(margin + x * zoom + 8, below)])
color = pixel(right, margin + zoom + 8)
print("in its colour:", pixel(margin + 2 * zoom + 8, below) == color)
# In the picture it is as bright as the sample below: 110 of 255 for black, all of it for white.
part = (110 + 145 * 70 / 255) / 255
shaded = pixel(margin + 2 * zoom + 8, margin + zoom + 8)
print("shaded:", all(abs(s - part * c) <= 1 for s, c in zip(shaded, color)))
# A difference of 7 is at three eighths of the scale.
bar = 3 * margin + 2 * zoom + 6 + 4
at = margin + 280 * 3 // 8 + 2
print("the scale agrees:", pixel(at, bar) == color)
END
# The extension gives the file's format; pictures of different size are not drawn.
refuses 2 diff.xyz compare a.pgm b.pgm --diff diff.xyz
refuses 2 'the extension tells the format' compare a.pgm b.pgm --diff diff
printf 'P2 1 1 255 1' >one.pgm
try compare a.pgm one.pgm --diff none.png
stencilcli compare a.pgm a.pgm --diff equal.png -q
refuses 1 missing/diff.png compare a.pgm b.pgm --diff missing/diff.png
alone a.pgm b.pgm one.pgm diff.ppm equal.png
