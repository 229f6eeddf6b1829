"""Pictures as rows of colours, from and to PNG files, and how far two of them differ; the standard library alone.

A picture is a list of rows, a row a list of colours, a colour (red, green, blue) from 0 to 255."""

import struct
import zlib


def read_png(png):
    """The picture in a PNG of 8 bits for each channel, without its transparency."""
    at, data, width, height, channels = 8, b"", 0, 0, 0
    while at < len(png):
        length, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        part = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(part[:4], "big"), int.from_bytes(part[4:8], "big")
            channels = {2: 3, 6: 4}[part[9]]
        elif kind == b"IDAT":
            data += part
        at += 12 + length
    raw, stride = zlib.decompress(data), width * channels
    above, picture = bytearray(stride), []
    for line in range(height):
        start = line * (stride + 1)
        method, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        if method == 1:
            for i in range(channels, stride):
                row[i] = (row[i] + row[i - channels]) & 255
        elif method == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif method in (3, 4):
            for i in range(stride):
                left, corner = (row[i - channels], above[i - channels]) if i >= channels else (0, 0)
                up = above[i]
                if method == 3:
                    add = (left + up) // 2
                else:
                    p = left + up - corner
                    pa, pb, pc = abs(p - left), abs(p - up), abs(p - corner)
                    add = left if pa <= pb and pa <= pc else up if pb <= pc else corner
                row[i] = (row[i] + add) & 255
        picture.append(list(zip(row[0::channels], row[1::channels], row[2::channels])))
        above = row
    return picture


def write_png(picture):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes(value for colour in row for value in colour) for row in picture)
    head = struct.pack(">IIBBBBB", len(picture[0]), len(picture), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def colours_of(png):
    """How often each colour occurs in a PNG."""
    counts = {}
    for row in read_png(png):
        for colour in row:
            counts[colour] = counts.get(colour, 0) + 1
    return counts


def smaller(picture, side):
    """A pixel for each square of `side` by `side` pixels: the mean of its colours. A rest at the edges is left out."""
    result = []
    for top in range(0, len(picture) - side + 1, side):
        rows = picture[top:top + side]
        result.append([])
        for left in range(0, len(picture[0]) - side + 1, side):
            square = [colour for row in rows for colour in row[left:left + side]]
            result[-1].append(tuple(round(sum(channel) / len(square)) for channel in zip(*square)))
    return result


def difference(one, other):
    """Which share of what is drawn differs, from 0 to 1; 1 for pictures of different sizes.

    A pixel is drawn if it is not of the ground, the most frequent colour of either picture. It differs if a channel does by
    more than a fifth of black to white: text in another font changes the means of small squares by less."""
    if (len(one), len(one[0])) != (len(other), len(other[0])):
        return 1.0
    grounds = []
    for picture in (one, other):
        colours = [colour for row in picture for colour in row]
        grounds.append(max(set(colours), key=colours.count))

    def apart(a, b):
        return max(abs(x - y) for x, y in zip(a, b))
    drawn = differing = 0
    for row, other_row in zip(one, other):
        for a, b in zip(row, other_row):
            if apart(a, grounds[0]) > 16 or apart(b, grounds[1]) > 16:
                drawn += 1
                differing += apart(a, b) > 48
    return differing / drawn if drawn else 0.0
