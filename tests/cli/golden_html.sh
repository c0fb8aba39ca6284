# The report, tested without a browser: escaped texts, large pictures cut or reduced, other sizes.
. "$CLI/lib"
mkdir suite
python3 - <<'END'
def write(name, width, height, at=None):
    samples = bytearray(width * height)
    if at:
        samples[at[1] * width + at[0]] = 9
    open("suite/" + name, "wb").write(b"P5 %d %d 255 " % (width, height) + samples)
write("large.pgm", 4000, 1700)
write("large2.pgm", 4000, 1700, (3990, 1690))
write("wide.pgm", 1000, 4)
write("small.pgm", 3, 3)
write("small2.pgm", 4, 3)
END
cat >suite/golden.txt <<'END'
keep
inputs *.pgm
0  out.pgm  cp large.pgm out.pgm
0  out.pgm  cp small.pgm out.pgm
0  wide.pgm
0  '<i>&.pgm'  cp small.pgm '<i>&.pgm' # "</script><b>"
END
stencilcli golden record suite -q
sed -i 's/cp large/cp large2/; s/cp small.pgm out/cp small2.pgm out/' suite/golden.txt
try golden check suite --html report.html
python3 - <<'END'
import base64, html.parser, struct
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""
    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("i", "b") and "style" not in values and self.open[-1] != "button":
            print("a tag from a name:", tag)
        if tag == "img":
            png = base64.b64decode(values["src"].partition("base64,")[2], validate=True)
            print(" ", values["alt"], struct.unpack(">II", png[16:24]), end="")
            print("" if (values["width"], values["height"]) == tuple(
                map(str, struct.unpack(">II", png[16:24]))) else " is not what the page says")
        if tag == "article":
            print(values["data-state"])
        if tag not in ("img", "meta", "input"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text += data
page = Page()
text = open("report.html").read()
page.feed(text)
assert not page.open
print([line for line in page.text.splitlines() if line.startswith("Shown") or "script>" in line])
print("http" in text or "url(" in text)
END
printf '0 small.pgm\n' >suite/other.txt
try golden check suite/other.txt -q --html none/report.html

# Two photographs that differ everywhere take less than 4 MB.
mkdir photos
python3 - <<'END'
import random
random.seed(1)
for name in "ab":
    open(f"photos/{name}.ppm", "wb").write(b"P6 1600 1200 255 " + random.randbytes(3 * 1600 * 1200))
END
printf 'inputs *.ppm\n0 one.ppm cp a.ppm one.ppm\n0 two.ppm cp a.ppm two.ppm\n' >photos/golden.txt
sed -i '1i keep' photos/golden.txt
stencilcli golden record photos -q
sed -i 's/cp a/cp b/' photos/golden.txt
stencilcli golden check photos --html report.html -q >/dev/null || [ $? -eq 4 ]
[ "$(wc -c <report.html)" -lt 4000000 ]
