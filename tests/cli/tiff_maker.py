"""Makes and reads TIFF files for tests, without libtiff, so that the program is not judged by the
library that it uses. A picture is a list of rows; a row is a list of samples, channel by channel.

    make(path, rows, channels, bits=8, ...)     writes a file: see its arguments
    read(path)                                  the tags and the samples of a file of the program
"""
import struct
import zlib

NONE, LZW, DEFLATE, PACKBITS = 1, 5, 8, 32773
BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, IFD, LONG8 = 1, 2, 3, 4, 5, 7, 13, 16
DOUBLE = 12
SIZE = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8,
        17: 8, 18: 8}
CODE = {1: "B", 2: "B", 3: "H", 4: "I", 5: "I", 6: "b", 7: "B", 8: "h", 9: "i", 10: "i", 11: "f",
        12: "d", 13: "I", 16: "Q", 17: "q", 18: "Q"}


def lzw(data):
    codes, width, out, held, bits = {}, 9, bytearray(), 0, 0

    def put(code):
        nonlocal held, bits
        held, bits = held << width | code, bits + width
        while bits >= 8:
            out.append(held >> (bits - 8) & 255)
            bits -= 8
        held &= (1 << bits) - 1

    put(256)
    word, following = b"", 258
    for i in range(len(data)):
        longer = word + data[i:i + 1]
        if len(longer) == 1 or longer in codes:
            word = longer
            continue
        put(codes.get(word, word[0]))
        codes[longer] = following
        following += 1
        if following == 4095:
            put(256)
            codes, width, following = {}, 9, 258
        elif following == 1 << width:
            width += 1
        word = data[i:i + 1]
    if word:
        put(codes.get(word, word[0]))
        following += 1
        if following == 1 << width and width < 12:
            width += 1
    put(257)
    if bits:
        out.append(held << (8 - bits) & 255)
    return bytes(out)


def unlzw(data):
    out, width, held, bits = bytearray(), 9, 0, 0
    table, before = None, None
    for byte in data:
        held, bits = (held << 8 | byte) & 0xffffff, bits + 8
        if bits < width:
            continue
        bits -= width
        code = held >> bits & ((1 << width) - 1)
        if code == 257:
            break
        if code == 256:
            table, width, before = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
            continue
        if before is None:
            word = table[code]
        else:
            word = table[code] if code < len(table) else before + before[:1]
            table.append(before + word[:1])
        out += word
        before = word
        width = 9 if len(table) < 511 else 10 if len(table) < 1023 else \
            11 if len(table) < 2047 else 12
    return bytes(out)


def packbits(data, row):
    out = bytearray()
    for start in range(0, len(data), row):
        line = data[start:start + row]
        i = 0
        while i < len(line):
            run = 1
            while run < 128 and i + run < len(line) and line[i + run] == line[i]:
                run += 1
            if run > 1:
                out += bytes([257 - run, line[i]])
            else:
                run = min(3, len(line) - i)
                out += bytes([run - 1]) + line[i:i + run]
            i += run
    return bytes(out)


def unpackbits(data):
    out, i = bytearray(), 0
    while i < len(data):
        n = data[i]
        if n < 128:
            out += data[i + 1:i + 2 + n]
            i += n + 2
        else:
            if n > 128:
                out += data[i + 1:i + 2] * (257 - n)
            i += 2
    return bytes(out)


def difference(samples, channels, bits):
    return [(value - (samples[i - channels] if i >= channels else 0)) % (1 << bits)
            for i, value in enumerate(samples)]


def line_bytes(samples, bits, order):
    if bits == 16:
        return struct.pack(f"{order}{len(samples)}H", *samples)
    if bits == 8:
        return bytes(samples)
    text = "".join(format(v, f"0{bits}b") for v in samples)
    text += "0" * (-len(text) % 8)
    return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def directory(entries, place, order, big):
    """The bytes of a directory at PLACE: entries {tag: (type, list of numbers or bytes)}."""
    word, count = ("Q", "Q") if big else ("I", "H")
    inline = 8 if big else 4
    rest_at = place + (8 + 20 * len(entries) + 8 if big else 2 + 12 * len(entries) + 4)
    table, rest = struct.pack(order + count, len(entries)), b""
    for tag, (kind, values) in sorted(entries.items()):
        data = values if isinstance(values, bytes) else \
            struct.pack(f"{order}{len(values)}{CODE[kind]}", *values)
        table += struct.pack(f"{order}HH{word}", tag, kind, len(data) // SIZE[kind])
        if len(data) > inline:
            rest += b"\0" * ((rest_at + len(rest)) % 2)
            table += struct.pack(order + word, rest_at + len(rest))
            rest += data
        else:
            table += data.ljust(inline, b"\0")
    return table, rest


def make(path, rows, channels, bits=8, order="<", big=False, strip=None, tile=None, planar=False,
         compression=NONE, predictor=False, fill=1, photometric=None, extra=None, tags=None,
         exif=None, pages=1, without=()):
    """STRIP: rows in a strip; TILE: (width, height); FILL 2: bits are stored backwards; EXTRA: the
    kind of the last channel; TAGS: more entries; WITHOUT: tags that are left out."""
    height, width = len(rows), len(rows[0]) // channels
    if photometric is None:
        photometric = 2 if channels > 2 else 1
    head = 16 if big else 8
    out, first = bytearray(head), None
    for page in range(pages):
        offsets, counts = [], []
        across, down = tile or (width, strip or height)
        step = 1 if planar else channels
        for plane in range(channels if planar else 1):
            for top in range(0, height, down):
                for left in range(0, width, across):
                    data, row_bytes = b"", 0
                    for y in range(top, top + down if tile else min(height, top + down)):
                        row = rows[y] if y < height else [0] * (width * channels)
                        if planar:
                            row = row[plane::channels]
                        samples = row[left * step:(left + across) * step]
                        samples = samples + [0] * (across * step - len(samples))
                        if predictor:
                            samples = difference(samples, step, bits)
                        line = line_bytes(samples, bits, order)
                        row_bytes = len(line)
                        data += line
                    if compression == DEFLATE:
                        data = zlib.compress(data)
                    elif compression == LZW:
                        data = lzw(data)
                    elif compression == PACKBITS:
                        data = packbits(data, row_bytes)
                    if fill == 2:
                        data = bytes(int(format(b, "08b")[::-1], 2) for b in data)
                    offsets.append(len(out))
                    counts.append(len(data))
                    out += data
        out += b"\0" * (len(out) % 2)
        places = LONG8 if big else LONG
        entries = {256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, [bits] * channels),
                   259: (SHORT, [compression]), 262: (SHORT, [photometric]),
                   277: (SHORT, [channels]), 284: (SHORT, [2 if planar else 1])}
        if tile:
            entries.update({322: (LONG, [across]), 323: (LONG, [down]), 324: (places, offsets),
                            325: (places, counts)})
        else:
            entries.update({278: (LONG, [down]), 273: (places, offsets), 279: (places, counts)})
        if predictor:
            entries[317] = (SHORT, [2])
        if fill == 2:
            entries[266] = (SHORT, [2])
        if extra is not None:
            entries[338] = (SHORT, [extra])
        entries.update(tags or {})
        for tag in without:
            entries.pop(tag, None)
        if exif:
            place = len(out)
            table, rest = directory(exif, place, order, big)
            out += table + struct.pack(order + ("Q" if big else "I"), 0) + rest
            out += b"\0" * (len(out) % 2)
            entries[34665] = (places, [place])
        place = len(out)
        table, rest = directory(entries, place, order, big)
        if first is None:
            first = place
        else:
            out[link:link + (8 if big else 4)] = struct.pack(order + ("Q" if big else "I"), place)
        link = place + len(table)
        out += table + b"\0" * (8 if big else 4) + rest
        out += b"\0" * (len(out) % 2)
    mark = b"II" if order == "<" else b"MM"
    out[:head] = mark + (struct.pack(order + "HHHQ", 43, 8, 0, first) if big
                         else struct.pack(order + "HI", 42, first))
    with open(path, "wb") as file:
        file.write(out)


def tags_at(data, place, order="<", big=False):
    """{tag: (type, bytes)} of the directory at PLACE, and the place of the next one."""
    count, = struct.unpack_from(order + ("Q" if big else "H"), data, place)
    place += 8 if big else 2
    tags = {}
    for _ in range(count):
        if big:
            tag, kind, n, at = struct.unpack_from(order + "HHQQ", data, place)
        else:
            tag, kind, n, at = struct.unpack_from(order + "HHII", data, place)
        size, inline = n * SIZE[kind], 8 if big else 4
        value = place + (12 if big else 8)
        tags[tag] = kind, data[at:at + size] if size > inline else data[value:value + size]
        assert len(tags[tag][1]) == size, tag
        place += 20 if big else 12
    return tags, struct.unpack_from(order + ("Q" if big else "I"), data, place)[0]


def numbers(entry, order="<"):
    kind, data = entry
    return list(struct.unpack(f"{order}{len(data) // struct.calcsize(CODE[kind])}{CODE[kind]}",
                              data))


def read(path):
    """(tags, rows) of the first page of a file that the program wrote."""
    data = open(path, "rb").read()
    assert data[:4] in (b"II*\0", b"II+\0"), data[:4]
    big = data[2] == 43
    tags, _ = tags_at(data, struct.unpack_from("<Q" if big else "<I", data, 8 if big else 4)[0],
                      "<", big)
    one = {tag: numbers(entry)[0] for tag, entry in tags.items() if entry[1]}
    width, height, channels, bits = one[256], one[257], one[277], one[258]
    samples = b""
    for place, count in zip(numbers(tags[273]), numbers(tags[279])):
        strip = data[place:place + count]
        if one[259] == DEFLATE:
            strip = zlib.decompress(strip)
        elif one[259] == LZW:
            strip = unlzw(strip)
        elif one[259] == PACKBITS:
            strip = unpackbits(strip)
        samples += strip
    row = width * channels * bits // 8
    assert len(samples) == row * height, (len(samples), row * height)
    rows = []
    for y in range(height):
        line = samples[y * row:(y + 1) * row]
        values = list(struct.unpack(f"<{width * channels}H", line)) if bits == 16 else list(line)
        if one.get(317) == 2:
            for i in range(channels, len(values)):
                values[i] = (values[i] + values[i - channels]) % (1 << bits)
        rows.append(values)
    return tags, rows


def pam(path):
    """(channels, maximum, rows) of a PAM file."""
    head, data = open(path, "rb").read().split(b"ENDHDR\n", 1)
    about = dict(line.split(b" ", 1) for line in head.splitlines()[1:] if b" " in line)
    width, height, channels, most = (int(about[k]) for k in (b"WIDTH", b"HEIGHT", b"DEPTH",
                                                            b"MAXVAL"))
    n = width * channels
    if most > 255:
        values = struct.unpack(f">{len(data) // 2}H", data)
    else:
        values = data
    return channels, most, [list(values[y * n:(y + 1) * n]) for y in range(height)]
