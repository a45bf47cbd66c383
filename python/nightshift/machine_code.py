"""The identity of machine code, without what only debuggers read.

A cubin is an ELF file whose line table names lines of the source: a comment that is added above a
kernel changes the file and not what the GPU does. Equal identities are equal code; what is no
readable ELF file is told apart by all of its bytes."""

import hashlib
import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # of 64-bit ELF, little-endian
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8  # a section's type: it has a size and no bytes in the file
_DEBUG = (".debug_", ".rel.debug_", ".rela.debug_", ".nv_debug", ".rel.nv_debug", ".rela.nv_debug")


def identity_of(code):
    """The hash, in hexadecimal digits, of the bytes of one kernel's machine code."""
    try:
        parts = _parts(code)
    except (struct.error, ValueError):
        parts = [code]
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()


def _parts(code):
    # Offsets in the file are left out: they move with the size of the line table.
    ident, kind, machine, version, entry, _, table, flags, _, _, _, size, count, names = \
        _HEADER.unpack_from(code)
    if ident[:6] != b"\x7fELF\x02\x01" or size != _SECTION.size or names >= count \
            or table + count * size > len(code):
        raise ValueError("no ELF file of 64 bits with sections")
    sections = [_SECTION.unpack_from(code, table + at * size) for at in range(count)]
    labels = _contents(code, sections[names])
    parts = [ident + struct.pack("<HHIQI", kind, machine, version, entry, flags)]
    for number, section in enumerate(sections):
        label = _text_at(labels, section[0])
        if number == names or label.startswith(_DEBUG):
            continue
        _, type_, section_flags, address, _, length, link, info, align, each = section
        parts += [label.encode("latin-1"), struct.pack("<IQQQIIQQ", type_, section_flags, address,
                                                       length, link, info, align, each),
                  _contents(code, section)]
    return parts


_ATTRIBUTES = ".nv.info"
_REGISTERS = (4, 0x2f)  # an attribute's format and number: (symbol, registers of a thread)


def registers_of(code):
    """Registers of a thread of one kernel's machine code; 0 where it does not say."""
    try:
        _, _, _, _, _, _, table, _, _, _, _, _, count, names = _HEADER.unpack_from(code)
        sections = [_SECTION.unpack_from(code, table + at * _SECTION.size) for at in range(count)]
        labels = _contents(code, sections[names])
        found = [_contents(code, section) for section in sections
                 if _text_at(labels, section[0]) == _ATTRIBUTES]
        return max((_registers_in(one) for one in found), default=0)
    except (struct.error, ValueError, IndexError):
        return 0


def _registers_in(attributes):
    at, most = 0, 0
    while at + 4 <= len(attributes):
        form, number, value = struct.unpack_from("<BBH", attributes, at)
        at += 4
        if (form, number) == _REGISTERS:
            most = max(most, struct.unpack_from("<II", attributes, at)[1])
        at += value if form == 4 else 0
    return most


def _contents(code, section):
    _, kind, _, _, offset, length, *_ = section
    if kind == _NO_BITS:
        return b""
    if offset + length > len(code):
        raise ValueError("a section ends behind the file")
    return code[offset:offset + length]


def _text_at(labels, start):
    end = labels.find(b"\0", start)
    if start > len(labels) or end < 0:
        raise ValueError("a section's name does not end")
    return labels[start:end].decode("latin-1")
