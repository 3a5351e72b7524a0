"""Writes a PNG that is as hard to encode as a photograph: `photograph.py SEED FILE`."""

import pathlib
import struct
import sys
import zlib

# Size in pixels. A photograph of this size is encoded as AVIF, WebP and PNG in three widths.
WIDTH, HEIGHT = 1600, 900


def photograph(seed):
    """A PNG with gradients and noise."""
    rows = bytearray()
    noise = seed * 2654435761 % 2**32
    for y in range(HEIGHT):
        rows.append(0)
        for x in range(WIDTH):
            noise = (noise * 1664525 + 1013904223) % 2**32
            grain = noise >> 28
            rows += bytes(((x * 160 // WIDTH + grain) % 256, (y * 200 // HEIGHT + grain) % 256, (x * y // 9000 + grain) % 256))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(photograph(int(sys.argv[1])))
