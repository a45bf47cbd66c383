#!/usr/bin/env python3
"""Writes the sources of one target as a few files that include them, so that a compiler reads headers
once for many sources (a unity build).

    unity.py ROOT LIST              prints how many files the sources that LIST names, one a line and
                                    relative to ROOT, would take
    unity.py ROOT LIST OUTPUT...    writes them; outputs that are not needed become empty

Names in an anonymous namespace are private to their source and stay so: two sources share an output
only if neither uses a name, itself or through headers that only it includes, that is private to the
other. The text decides that, more strictly than the language asks, again whenever a source changes.
Sources keep the order of their paths as far as possible: neighbours include the same headers. An
output whose content would be the same is not written.

Rejected: CMAKE_UNITY_BUILD, which takes sources as they come, so that private names had to be unique
in a target, and which names sources by absolute paths, so that checkouts could not share a compiler
cache. Precompiled headers: they save half as much, hide missing includes, and differ in every
checkout.
"""

import functools
import pathlib
import re
import sys

# Of source text in an output: large enough that headers are a small part of the work, small enough
# that the change of one source costs seconds.
SHARE = 60_000

LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'", re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# A name that a declaration around it may change: no member and not qualified.
WORD = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*|(?<=[^:]:)[A-Za-z_]\w*")
# What a declaration names, once bodies and parameter lists are cut out.
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(\w+)[^;{]*")
DECLARED = re.compile(r"(?<![\w:.>])([A-Za-z_]\w*)\s*(?=[(={\[;])")
ALIAS = re.compile(
    r"^(?:using (\w+) = ([^;]+)|using ([\w:]+::(\w+))|namespace (\w+) = ([^;]+));", re.M)
MACRO = re.compile(r"^#define (\w+)", re.M)
TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.M)
MATCHER = re.compile(r"^MATCHER(?:_P\d?)?\((\w+)", re.M)
KEYWORDS = {"const", "decltype", "double", "namespace", "noexcept", "nullptr", "operator", "requires",
            "return", "sizeof"}


def without(text, opening, closing):
    """TEXT with what stands between brackets of the kind cut out, the outermost brackets left."""
    depth = 0
    kept = []
    for part in re.split(f"([{re.escape(opening + closing)}])", text):
        depth -= part == closing
        if depth == 0:
            kept.append(part)
        depth += part == opening
    return "".join(kept)


def body_at(text, begin):
    """What stands between the brace at BEGIN and the one that closes it."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, begin):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[begin + 1:brace.start()]
    return text[begin + 1:]


def tests_of(code):
    return {f"{suite}_{test}_Test" for suite, test in TEST.findall(code)}


def aliases_of(code):
    """Alias -> what it stands for. Sources of one output may have the same alias."""
    found = {}
    for name, target, used, used_name, space, spaces_target in ALIAS.findall(code):
        found[name or used_name or space] = (target or used or spaces_target).removeprefix("::")
    return found


def private_names_of(code):
    names = set(MACRO.findall(code)) | tests_of(code)
    for opening in re.finditer(r"\bnamespace\s*\{", code):
        body = ALIAS.sub("", body_at(code, opening.end() - 1))
        names |= set(MATCHER.findall(body))
        flat = without(without(body, "{", "}"), "(", ")")
        names |= set(TYPE.findall(flat))
        names |= {name for name in DECLARED.findall(TYPE.sub("", flat)) if not name.isupper()}
    return names - KEYWORDS


class File:
    """A source or header: its words, what it includes below ROOT, and the names it keeps private."""

    def __init__(self, root, path):
        text = (root / path).read_text()
        code = LITERAL_OR_COMMENT.sub('""', text)
        self.size = len(text)
        self.words = set(WORD.findall(code)) | tests_of(code)
        self.includes = {name for name in INCLUDE.findall(text) if (root / name).is_file()}
        self.private = private_names_of(code)
        self.aliases = aliases_of(code)


class Target:
    def __init__(self, root, sources):
        self.sources = sorted(sources)
        self.file = functools.cache(lambda path: File(root, path))
        self.headers = functools.cache(self.headers)
        self.collide = functools.cache(self.collide)

    def headers(self, source):
        todo, seen = [source], set()
        while todo:
            new = self.file(todo.pop()).includes - seen
            seen |= new
            todo += new
        return seen

    def takes_names(self, source, other):
        """Does SOURCE, or a header that OTHER does not include, use a private name of OTHER?"""
        strange = self.headers(source) - self.headers(other)
        return any(self.file(other).private & self.file(path).words for path in [source, *strange])

    def takes_aliases(self, source, other):
        """Does SOURCE use an alias of OTHER for something else?"""
        its = self.file(source)
        return any(its.aliases.get(name, target) != target or
                   (name in its.words and name not in its.aliases)
                   for name, target in self.file(other).aliases.items())

    def collide(self, a, b):
        return (self.takes_names(a, b) or self.takes_names(b, a) or
                self.takes_aliases(a, b) or self.takes_aliases(b, a))

    def groups(self):
        """The sources in as few lists of about SHARE as collisions allow."""
        count = -(-sum(self.file(source).size for source in self.sources) // SHARE)
        while (found := self.groups_of(count)) is None:
            count += 1
        return found

    def groups_of(self, count):
        """The sources that collide with most others choose first; the rest keep together."""
        collisions = {source: sum(self.collide(source, other) for other in self.sources)
                      for source in self.sources}
        usual = sorted(collisions.values())[len(collisions) * 3 // 4]
        order = sorted(self.sources, key=lambda source: (-max(collisions[source], usual), source))
        groups = [[] for _ in range(count)]
        load = [0] * count
        for source in order:
            free = [index for index in range(count)
                    if not any(self.collide(source, other) for other in groups[index])]
            if not free:
                return None
            size = self.file(source).size
            roomy = [index for index in free if load[index] + size <= SHARE]
            index = roomy[0] if roomy else min(free, key=lambda index: load[index])
            groups[index].append(source)
            load[index] += size
        return [sorted(group) for group in groups]


def main():
    root, listing, outputs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    groups = Target(root, listing.read_text().split()).groups()
    if not outputs:
        print(len(groups))
        return 0
    if len(groups) > len(outputs):
        listing.touch()  # which configures again, with an output more
        print(f"the sources of {listing.stem} need a file more than before; build again",
              file=sys.stderr)
        return 1
    for number, output in enumerate(map(pathlib.Path, outputs)):
        group = groups[number] if number < len(groups) else []
        text = "".join(f'#include "{source}"\n' for source in group)
        if not output.is_file() or output.read_text() != text:
            output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
