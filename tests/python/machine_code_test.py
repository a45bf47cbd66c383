"""Identities of machine code, of made-up ELF files."""

import struct
import unittest

import harness

from nightshift.machine_code import identity_of


def elf(sections, flags=0x5A, infos=None):
    """An ELF file of 64 bits of named sections, laid out one behind the other."""
    sections = [("", b""), *sections.items(), (".shstrtab", None)]
    labels = b"".join(name.encode() + b"\0" for name, _ in sections)
    body, rows, at = b"", [], 0
    for name, contents in sections:
        contents = labels if contents is None else contents
        rows.append(struct.pack("<IIQQQQIIQQ", at, 1 if name else 0, 6, 0, 64 + len(body),
                                len(contents), 0, (infos or {}).get(name, 0), 1, 0))
        body, at = body + contents, at + len(name) + 1
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return struct.pack("<16sHHIQQQIHHHHHH", ident, 2, 190, 1, 0, 0, 64 + len(body), flags, 64, 0, 0,
                       64, len(rows), len(rows) - 1) + body + b"".join(rows)


CODE = {".debug_line": b"line 7", ".nv_debug_line_sass": b"7", ".rela.debug_line": b"r",
        ".text.kernel": b"\x01\x02\x03", ".nv.info": b"regs"}


class Identities(unittest.TestCase):
    def same(self, one, other):
        return identity_of(one) == identity_of(other)

    def test_line_tables_do_not_count(self):
        moved = {**CODE, ".debug_line": b"line 1234567", ".nv_debug_line_sass": b"1234567",
                 ".rela.debug_line": b"rrrr"}
        self.assertNotEqual(elf(CODE), elf(moved))
        self.assertTrue(self.same(elf(CODE), elf(moved)))

    def test_everything_else_counts(self):
        others = [elf({**CODE, ".text.kernel": b"\x01\x02\x04"}),
                  elf({**CODE, ".nv.info": b"more"}),
                  elf({**CODE, ".nv.constant0": b""}), elf(CODE, flags=0x64),
                  elf(CODE, infos={".text.kernel": 32 << 24}),
                  elf({(".text.other" if name == ".text.kernel" else name): contents
                       for name, contents in CODE.items()})]
        for number, other in enumerate(others):
            with self.subTest(number):
                self.assertFalse(self.same(elf(CODE), other))

    def test_what_is_no_elf_file_counts_whole(self):
        for code in (b"", b"\x7fELF", b".version 8.0", bytes(200)):
            with self.subTest(code[:8]):
                self.assertEqual(identity_of(code), identity_of(bytes(code)))
                self.assertFalse(self.same(code, code + b"\1"))

    def test_a_file_cut_or_damaged_anywhere_has_an_identity(self):
        whole = elf(CODE)
        for at in range(len(whole)):
            self.assertFalse(self.same(whole, whole[:at]), at)
            for value in (0, 0xFF):
                identity_of(whole[:at] + bytes([value]) + whole[at + 1:])


if __name__ == "__main__":
    harness.main()
