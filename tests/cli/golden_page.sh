# docs/golden.md: its shell blocks run in order and print what the page says. Then its Makefile and
# the commands of its CI examples pass, and fail once the program writes another picture.
. "$CLI/lib"
command -v make >/dev/null || skip "make is not installed"
mkdir bin
ln -s "$STENCILCLI" bin/stencilcli
cp "$TESTDATA/photo.png" .
PATH="$PWD/bin:$PATH" python3 - "$MASKS/../docs/golden.md" <<'END'
import difflib, os, pathlib, re, subprocess, sys

def run(script):
    done = subprocess.run(["sh"], input=script, text=True, stdout=-1, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
shell = [(code, blocks[i + 1][1] if blocks[i + 1][0] == "text" else "")
         for i, (kind, code) in enumerate(blocks) if kind == "sh"]
_, printed = run("".join(f"echo '@@@'\n{code}" for code, _ in shell))
for (code, expected), now in zip(shell, printed.split("@@@\n")[1:]):
    if now != expected:
        print(f"This block prints:\n{code}")
        print("\n".join(difflib.unified_diff(expected.split("\n"), now.split("\n"), "page", "now")))
[makefile] = [code for kind, code in blocks if kind == "make"]
pathlib.Path("Makefile").write_text(makefile)
jobs = [re.findall(r"^ +(?:run:|-) (make .*)", code, re.M) for kind, code in blocks if kind == "yaml"]
print("CI:", jobs)
soften = pathlib.Path("soften")
for state, sigma in ("passes", "2"), ("fails", "2.1"):
    soften.write_text(soften.read_text().replace("--sigma 2", f"--sigma {sigma}"))
    for [command] in jobs:
        code, text = run(command)
        report = pathlib.Path("junit.xml").read_text()
        print(state, "exit", code, "failures:", len(re.findall("<failure", report)),
              "" if pathlib.Path("report.html").exists() else "no report")
        for name in "junit.xml", "report.html":
            os.remove(name)
code, text = run("make golden && make check")
print("accepted" if code == 0 else text)
END
