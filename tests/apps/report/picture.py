"""Pictures from and to PNG files, and how far two of them differ: of Pillow, in red, green and blue."""

import io

from PIL import Image


def read_png(png):
    """The picture in a PNG, without its transparency."""
    return Image.open(io.BytesIO(png)).convert("RGB")


def write_png(picture):
    content = io.BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def counts_of(picture):
    return {colour: count for count, colour in picture.getcolors(picture.width * picture.height)}


def colours_of(png):
    """How often each colour occurs in a PNG."""
    return counts_of(read_png(png))


def smaller(picture, side):
    """A pixel for each square of `side` by `side` pixels: the mean of its colours. A rest at the edges is left out."""
    return picture.crop((0, 0, picture.width // side * side, picture.height // side * side)).reduce(side)


def difference(one, other):
    """Which share of what is drawn differs, from 0 to 1; 1 for pictures of different sizes.

    A pixel is drawn if it is not of the ground, the most frequent colour of either picture. It differs if a channel does by
    more than a fifth of black to white: text in another font changes the means of small squares by less."""
    if one.size != other.size:
        return 1.0
    grounds = [max(counts.items(), key=lambda item: item[1])[0] for counts in (counts_of(one), counts_of(other))]

    def apart(a, b):
        return max(abs(x - y) for x, y in zip(a, b))
    drawn = differing = 0
    for a, b in zip(one.getdata(), other.getdata()):
        if apart(a, grounds[0]) > 16 or apart(b, grounds[1]) > 16:
            drawn += 1
            differing += apart(a, b) > 48
    return differing / drawn if drawn else 0.0
