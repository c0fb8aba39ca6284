"""Walks through a page of docs/lab as a student does. Used by tests/try/run.

The commands of all ```sh blocks of a page run in order, in one scratch folder. What a block
prints is compared with the ```text block behind it; without one it prints nothing. A comment
`<!-- fill NAME N -->` fills gap N of the template NAME.cu as in tests/try/solved.
"""
import difflib
import os
import pathlib
import re
import subprocess

import traces

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STEP = re.compile(r"^<!-- fill (?P<name>\w+) (?P<gap>\d+) -->$"
                  r"|^```sh\n(?P<sh>.*?)^```\n(?:\n```text\n(?P<text>.*?)^```\n)?",
                  re.MULTILINE | re.DOTALL)


def body(text):
    """The lines behind the comment at the top."""
    lines = text.splitlines(keepends=True)
    while lines and (lines[0].startswith("//") or not lines[0].strip()):
        del lines[0]
    return lines


def fill(text, solved, gap):
    """The template's text with one gap filled; all other lines stay."""
    lines, right = body(text), body(solved)
    head = text[:len(text) - len("".join(lines))]
    filled, found = [], False
    matcher = difflib.SequenceMatcher(None, lines, right, autojunk=False)
    for tag, first, last, right_first, right_last in matcher.get_opcodes():
        gaps = [line for line in lines[first:last] if "TODO " in line]
        if tag != "equal" and len(gaps) != 1:
            raise ValueError(f"solved differs beside a gap: {lines[first:last]}")
        if tag != "equal" and f"TODO {gap}:" in gaps[0]:
            filled += right[right_first:right_last]
            found = True
        else:
            filled += lines[first:last]
    if not found:
        raise ValueError(f"there is no gap {gap}")
    return head + "".join(filled)


def run_block(program, script, home):
    """What the block prints, errors too."""
    programs = home / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "stencilcli").exists():
        os.symlink(program, programs / "stencilcli")
        os.symlink(ROOT / "scripts/grade", programs / "grade")
    variables = {name: value for name, value in os.environ.items()
                 if not name.startswith(("LC_", "STENCILCLI")) and name != "LANG"}
    variables.update(LC_ALL="C", HOME=str(home), TMPDIR=str(home / "tmp"), TRY=str(HERE),
                     PATH=f"{programs}:{os.environ['PATH']}")
    done = subprocess.run(["sh"], input=script, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=home / "work", env=variables, check=False)
    return done.stdout


def walk(program, page, update):
    """The lines that say where the page is wrong; with `update` the page is written anew."""
    text = page.read_text(encoding="utf-8")
    parts, trouble, at = [], [], 0
    with traces.scratch() as home:
        for step in STEP.finditer(text):
            parts.append(text[at:step.start()])
            at = step.end()
            if step["name"]:
                path = home / "work" / f"{step['name']}.cu"
                solved = (HERE / "solved" / path.name).read_text(encoding="utf-8")
                path.write_text(fill(path.read_text(encoding="utf-8"), solved, step["gap"]),
                                encoding="utf-8")
                parts.append(step.group())
                continue
            printed = run_block(program, step["sh"], home)
            expected = step["text"] or ""
            if printed != expected:
                trouble += [f"This block prints something else: {step['sh'].strip()}"]
                trouble += difflib.unified_diff(expected.splitlines(), printed.splitlines(),
                                                page.name, "now", lineterm="")
            parts.append(f"```sh\n{step['sh']}```\n" +
                         (f"\n```text\n{printed}```\n" if printed else ""))
        parts.append(text[at:])
    if not update:
        return trouble
    page.write_text("".join(parts), encoding="utf-8")
    return []
