"""Every path, link, command and option that a README names is there, and README.md stays short.

What is looked at: links, words in backticks, and lines that call a program of ours, indented or after a $ in a fence.
A path is relative to the README's folder or to the top. Words in capitals, such as STUDY or
NAME_searcher.cc, stand for something of the user's, as do paths below studies/ and spaces/."""

import functools
import json
import pathlib
import re
import shlex
import subprocess

import harness
from harness import Case, NIGHTSHIFT, SOURCE

MOST_LINES = 160
MOST_WORDS = 25  # rows of the glossary
USERS = ("batches/", "studies/", "spaces/", "build/", "./", "~/", "/")  # nothing of the repository
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".py", ".md"}  # of names without a folder that are files here
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)*/?")
OPTION = re.compile(r"--[a-z][a-z-]*")


@functools.cache
def files():
    """Of the rooms and the top; no builds."""
    rooms = [p for p in SOURCE.iterdir() if p.is_dir() and p.name not in ("build", "studies")
             and not p.name.startswith(".")]
    return [*SOURCE.glob("*"), *(p for room in rooms for p in room.rglob("*"))]


def readmes():
    return [p for p in files() if p.name == "README.md" or p.parent == SOURCE / "docs"]


def places(text):
    """(line number, kind, words): links, words in backticks, lines of code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        elif fenced:
            if stripped.startswith("$ "):
                yield number, "code", stripped
        elif line.startswith("    "):
            yield number, "code", stripped
        else:
            for target in re.findall(r"\]\(([^)]+)\)", line):
                yield number, "link", target
            for word in re.findall(r"`([^`]+)`", line):
                yield number, "word", word


def anchor_of(heading):
    """As web pages of repositories make it."""
    return re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def anchors(path):
    return {anchor_of(line.lstrip("#")) for line in path.read_text().splitlines()
            if line.startswith("#")}


def stands_for_something(word):
    return any(len(part) > 1 and part.isupper() for part in re.split(r"[^A-Za-z]+", word))


def is_path(word):
    if not PATH.fullmatch(word) or word.startswith(USERS) or stands_for_something(word):
        return False
    first = word.split("/")[0]
    if "/" in word:
        return (SOURCE / first).is_dir() or pathlib.PurePosixPath(word).suffix in SUFFIXES or word.endswith("/")
    return pathlib.PurePosixPath(word).suffix in SUFFIXES


def exists(word, folder):
    for base in (folder, SOURCE):
        if any(base.glob(word.rstrip("/"))):
            return True
    return "/" not in word and any(p.name == word for p in files())


@functools.cache
def commands():
    text = subprocess.run([NIGHTSHIFT, "--help"], capture_output=True, text=True).stdout
    listed = text.split("\nSubcommands:\n")[1]
    return set(re.findall(r"^  ([a-z][a-z-]*)\b", listed.split("\n\n")[0], re.MULTILINE))


@functools.cache
def subcommands(command):
    """Of a group such as `batch`; none of others."""
    text = subprocess.run([NIGHTSHIFT, command, "--help"], capture_output=True, text=True).stdout
    listed = text.split("\nSubcommands:\n")[1:]
    return set(re.findall(r"^  ([a-z][a-z-]*)\b", listed[0].split("\n\n")[0],
                          re.MULTILINE)) if listed else set()


@functools.cache
def options(command):
    """What the list of options, not the text around it, names."""
    text = subprocess.run([NIGHTSHIFT, *command.split(), "--help"], capture_output=True,
                          text=True).stdout
    return set(OPTION.findall("\n".join(re.findall(r"^  -.*$", text, re.MULTILINE)))) | {"--help"}


def sources_of(name):
    """The files in which the options of a program of ours must stand; None where it is none of ours."""
    if stands_for_something(name):
        return None
    if name.startswith("bench-"):
        bench = SOURCE / "tools/bench" / name.removeprefix("bench-")
        return [p for p in (bench.with_suffix(".cc"), *bench.glob("*.cc")) if p.is_file()]
    if name == "kill-storm":
        return [SOURCE / "tests/puzzles/kill_storm.cc"]
    path = SOURCE / name
    is_script = path.suffix == ".py" or (path.suffix == "" and path.parent == SOURCE / "tools")
    if not is_script or path.is_dir() or not name.startswith(("tools/", "tests/")):
        return None
    return [path] if path.is_file() else []


def without_remark(line):
    return re.split(r"\s#\s", line)[0].removeprefix("$ ").strip()


def words_of(line):
    try:
        return shlex.split(without_remark(line))
    except ValueError:
        return without_remark(line).split()


class Complaints:
    def __init__(self):
        self.list = []

    def check(self, good, what):
        if not good:
            self.list.append(what)

    def nightshift(self, where, words):
        """`words` follow the name of the program."""
        own = words[:words.index("--")] if "--" in words else words
        if not own or own[0].startswith("-"):
            command, rest = "", own
        elif stands_for_something(own[0]):
            command, rest = "tune", []
            if own[0] == "COMMAND":
                return
        else:
            command, rest = own[0], own[1:]
            if rest and rest[0] in subcommands(command):
                command, rest = f"{command} {rest[0]}", rest[1:]
            known = command.split()[0] in commands()
            self.check(known, f"{where}: nightshift has no command {command}")
            if not known:
                return
        for word in rest:
            if word.startswith("--"):
                option = word.split("=")[0]
                self.check(option in options(command), f"{where}: nightshift {command} has no {option}")
        if "--" in words:
            behind = words[words.index("--") + 1:]
            if behind[:1] == ["nightshift"]:
                self.nightshift(where, behind[1:])

    def tune_script(self, where, words):
        if words[:1] == ["--fresh"]:
            self.program(where, "tools/tune", words)
            words = []
        if not words:
            return
        if words[0] == "resume" and len(words) == 1:
            words = ["resume", "STUDY"]
        if words[0] not in commands():
            words = ["tune", *words]
        self.nightshift(where, words)

    def program(self, where, name, words):
        """Another program of ours; False where it is none."""
        name = name.removeprefix("build/release/bin/")
        sources = sources_of(name)
        if sources is None:
            return False
        self.check(sources, f"{where}: there is no program {name}")
        text = "\n".join(p.read_text() for p in sources)
        for word in words if sources else []:
            if word.startswith("--"):
                self.check(word.split("=")[0] in text, f"{where}: {name} has no {word}")
        return True

    def preset(self, where, words):
        known = {p["name"] for p in json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
        if "--preset" in words:
            name = words[words.index("--preset") + 1]
            self.check(name in known, f"{where}: there is no preset {name}")

    def command(self, where, line):
        """Whether the line calls a program of ours, all of whose words are then checked."""
        words = words_of(line)
        if not words or "..." in words:
            words = [w for w in words if w != "..."]
        if not words:
            return False
        if words[0] in ("nightshift", "build/release/bin/nightshift"):
            self.nightshift(where, words[1:])
        elif words[0] == "tools/tune":
            self.tune_script(where, words[1:])
        elif words[0] in ("cmake", "ctest"):
            self.preset(where, words[1:words.index("&&")] if "&&" in words else words[1:])
        else:
            return self.program(where, words[0], words[1:])
        return True

    def link(self, where, target, readme):
        if re.match(r"[a-z]+:", target):
            return
        name, _, anchor = target.partition("#")
        path = (readme.parent / name).resolve() if name else readme
        self.check(path.exists(), f"{where}: the link {target} leads nowhere")
        if path.is_file() and anchor:
            self.check(anchor in anchors(path), f"{where}: {name or readme.name} has no heading #{anchor}")

    def word(self, where, word, readme):
        if self.command(where, word):
            return
        if is_path(word):
            self.check(exists(word, readme.parent), f"{where}: there is no {word}")


def complaints_about(readme, text=None):
    found = Complaints()
    text = readme.read_text() if text is None else text
    made = set(re.findall(r"^`([\w.-]+)`:$", text, re.MULTILINE))  # by the page's reader, see docs_test.py
    for number, kind, words in places(text):
        if kind == "word" and words in made:
            continue
        where = f"{readme.relative_to(SOURCE)}:{number}"
        if kind == "link":
            found.link(where, words, readme)
        elif kind == "word":
            found.word(where, words, readme)
        else:
            found.command(where, words)
    return found.list


def glossary(text):
    """The rows of the table under the heading Glossary, without its head."""
    section = text.split("\n## Glossary\n")[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| ")][1:]


class Readme(Case):
    def test_every_readme_names_what_is_there(self):
        self.assertIn(SOURCE / "README.md", readmes())
        complaints = [c for readme in readmes() for c in complaints_about(readme)]
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))

    def test_it_is_short(self):
        text = (SOURCE / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), MOST_LINES)
        self.assertGreater(len(glossary(text)), 0)
        self.assertLessEqual(len(glossary(text)), MOST_WORDS)

    def test_untruths_are_found(self):
        text = """See `search/no_such.h`, [that](no/such.md), [this](search/README.md#no-such-heading), `nowhere.cc`.
`nightshift tune FILE --no-such-option`, `nightshift brew`, `tools/test --no-such-option`

    tools/tune problem.toml --no-such-option   # remark --not-looked-at
    tools/no_such_tool
    build/release/bin/bench-no-such
    cmake --preset no-such-preset && ninja
    nightshift lock-clocks --strict -- nightshift tune --no-such-option
"""
        found = "\n".join(complaints_about(SOURCE / "README.md", text))
        self.assertEqual(len(found.splitlines()), 12, found)
        for line in ("README.md:1: there is no search/no_such.h", "1: the link no/such.md", "1: search/README.md has no",
                     "1: there is no nowhere.cc", "2: nightshift tune has no --no", "2: nightshift has no command brew",
                     "2: tools/test has no --no-such", "4: nightshift tune has no --no", "5: there is no program tools/no_such",
                     "6: there is no program bench-no-such", "7: there is no preset", "8: nightshift tune has no"):
            self.assertIn(line, found)

    def test_what_is_there_is_fine(self):
        text = """`search/searcher.h`, `kernels/`, `studies/NAME`, `tools/NAME.cc`, `recorded/*.json.gz` and `x.toml`
[map](#the-map) `nightshift report STUDY --html r.html` `tools/tune --fresh`

    tools/tune resume
    tools/test -L unit
"""
        self.assertEqual(complaints_about(SOURCE / "README.md", text), [])


if __name__ == "__main__":
    harness.main()
