"""Puts all kinds of metadata into PNG, JPEG, WebP, TIFF and PSD files for tests, and reads them
again, without the libraries that the program uses.

    write(path, format, plain, parts)     PLAIN: a file of the format (not for TIFF and PSD)
    read(path)                            parts

Parts are a dictionary: exif, xmp, icc, comment: bytes.
"""
import struct
import zlib

import tiff_maker as tiff

XMP_KEY, EXIF_KEY = b"http://ns.adobe.com/xap/1.0/\0", b"Exif\0\0"


def profile(space, size=200):
    body = bytearray(i % 251 for i in range(size))
    body[0:4], body[16:20], body[36:40] = struct.pack(">I", size), space, b"acsp"
    return bytes(body)


def exif(tags, nested, order="<", thumbnail=b""):
    """EXIF data: NESTED is a dictionary of directories by the tag that leads to each."""
    place = 8
    tags = dict(tags, **{})
    tags.update({tag: (tiff.LONG, [0]) for tag in nested})
    size = sum(map(len, tiff.directory(tags, place, order, False))) + 4
    places, rest = {}, b""
    for tag, inner in nested.items():
        rest += b"\0" * ((place + size + len(rest)) % 2)
        places[tag] = place + size + len(rest)
        table, values = tiff.directory(inner, places[tag], order, False)
        rest += table + bytes(4) + values
    tags.update({tag: (tiff.LONG, [at]) for tag, at in places.items()})
    table, values = tiff.directory(tags, place, order, False)
    rest += b"\0" * ((place + size + len(rest)) % 2)
    after = place + size + len(rest) if thumbnail else 0
    if thumbnail:
        small = {513: (tiff.LONG, [after + 30]), 514: (tiff.LONG, [len(thumbnail)])}
        rest += tiff.directory(small, after, order, False)[0] + bytes(4) + thumbnail
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", place)
    return head + table + struct.pack(order + "I", after) + values + rest


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(plain, parts):
    found = b""
    if "icc" in parts:
        found += chunk(b"iCCP", b"p\0\0" + zlib.compress(parts["icc"]))
    if "exif" in parts:
        found += chunk(b"eXIf", parts["exif"])
    if "xmp" in parts:
        found += chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + parts["xmp"])
    if "comment" in parts:
        found += chunk(b"tEXt", b"Comment\0" + parts["comment"])
    return plain[:33] + found + plain[33:]


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def write_jpeg(plain, parts):
    found = b""
    if "exif" in parts:
        found += segment(0xe1, EXIF_KEY + parts["exif"])
    if "xmp" in parts:
        found += segment(0xe1, XMP_KEY + parts["xmp"])
    if "icc" in parts:
        found += segment(0xe2, b"ICC_PROFILE\0\1\1" + parts["icc"])
    if "comment" in parts:
        found += segment(0xfe, parts["comment"])
    return plain[:20] + found + plain[20:]


def riff(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def write_webp(plain, parts, sides):
    flags = sum(bit for name, bit in (("icc", 32), ("exif", 8), ("xmp", 4)) if name in parts)
    body = b"WEBP" + riff(b"VP8X", struct.pack("<I", flags) + b"".join(
        struct.pack("<I", side - 1)[:3] for side in sides))
    body += riff(b"ICCP", parts["icc"]) if "icc" in parts else b""
    body += plain[12:]
    body += riff(b"EXIF", parts["exif"]) if "exif" in parts else b""
    body += riff(b"XMP ", parts["xmp"]) if "xmp" in parts else b""
    return riff(b"RIFF", body)


def write_psd(parts, sides):
    kinds = {"icc": 1039, "exif": 1058, "xmp": 1060}
    found = b"PHUT" + struct.pack(">HHI", 4000, 0, 2) + b"xx"
    for name, data in parts.items():
        if name in kinds:
            found += (b"8BIM" + struct.pack(">HHI", kinds[name], 0, len(data)) + data
                      + b"\0" * (len(data) % 2))
    head = b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, sides[1], sides[0], 8, 3)
    return (head + struct.pack(">II", 0, len(found)) + found + struct.pack(">IH", 0, 0)
            + bytes(i % 256 for i in range(3 * sides[0] * sides[1])))


def exif_tags(data):
    """The tags of EXIF data as {(directory, tag): values}; directory 1 has the small picture."""
    order = "<" if data[:1] == b"I" else ">"
    found, todo = {}, [(0, struct.unpack(order + "I", data[4:8])[0])]
    while todo:
        name, place = todo.pop()
        entries, following = tiff.tags_at(data, place, order)
        if name == 0 and following:
            todo.append((1, following))
        for tag, entry in entries.items():
            values = tiff.numbers(entry, order) if entry[0] not in (1, 2, 7) else entry[1]
            if tag in (34665, 34853):
                todo.append((tag, values[0]))
            elif tag not in (34675, 700):
                found[name, tag] = values
    return found


def read(path):
    data, found = open(path, "rb").read(), {}
    if data[:4] in (b"II*\0", b"MM\0*"):
        order = "<" if data[:1] == b"I" else ">"
        tags, _ = tiff.tags_at(data, struct.unpack(order + "I", data[4:8])[0], order)
        found = {name: tags[tag][1] for name, tag in (("icc", 34675), ("xmp", 700)) if tag in tags}
        return dict(found, exif=data)
    if data[1:4] == b"PNG":
        at = 8
        while at < len(data):
            size = int.from_bytes(data[at:at + 4], "big")
            kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
            assert data[at:at + 12 + size] == chunk(kind, body)
            at += 12 + size
            if kind == b"iCCP":
                found["icc"] = zlib.decompress(body[body.index(b"\0") + 2:])
            elif kind == b"eXIf":
                found["exif"] = body
            elif kind == b"iTXt" and body.startswith(b"XML:com.adobe.xmp\0\0\0\0\0"):
                found["xmp"] = body[22:]
            elif kind in (b"tEXt", b"iTXt") and body.startswith(b"Comment\0"):
                found["comment"] = body[8:] if kind == b"tEXt" else body[12:]
            elif kind == b"pHYs":
                found["dots"] = struct.unpack(">IIB", body)
    elif data[:2] == b"\xff\xd8":
        at = 2
        while data[at + 1] != 0xda:
            size = int.from_bytes(data[at + 2:at + 4], "big")
            body, marker = data[at + 4:at + 2 + size], data[at + 1]
            at += 2 + size
            if body.startswith(EXIF_KEY):
                found["exif"] = body[6:]
            elif body.startswith(XMP_KEY):
                found["xmp"] = body[29:]
            elif body.startswith(b"ICC_PROFILE\0"):
                found["icc"] = body[14:]
            elif marker == 0xfe:
                found["comment"] = body
            elif marker == 0xe0:
                found["dots"] = struct.unpack(">HHB", body[8:12] + body[7:8])
    else:
        at = 12
        while at < len(data):
            size = int.from_bytes(data[at + 4:at + 8], "little")
            name = {b"EXIF": "exif", b"XMP ": "xmp", b"ICCP": "icc"}.get(data[at:at + 4])
            if name:
                found[name] = data[at + 8:at + 8 + size]
            at += 8 + size + size % 2
    return found
