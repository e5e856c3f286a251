"""Reads the launches of an archive that `geak record` wrote (replay/archive_format.md), as
h200_floors.py takes them."""
import ctypes
import json
import struct

LAUNCH, SUMMARY = 4, 5
HEADER_BYTES, FRAME = 16, struct.Struct("<4sIQQ16s")


def decompress(stored, raw_bytes):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(raw_bytes)
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(raw_bytes), stored,
                               ctypes.c_size_t(len(stored)))
    if got != raw_bytes:
        raise ValueError("a frame is damaged")
    return out.raw


def frames(path, wanted):
    with open(path, "rb") as file:
        file.seek(HEADER_BYTES)
        while len(header := file.read(FRAME.size)) == FRAME.size:
            mark, kind, stored_bytes, raw_bytes, _ = FRAME.unpack(header)
            if mark != b"GAKR":
                raise ValueError(f"{path} is damaged")
            if kind in wanted:
                yield kind, json.loads(decompress(file.read(stored_bytes), raw_bytes))
            else:
                file.seek(stored_bytes, 1)


def launches(path):
    """{kernel's symbol: [{"launch", "kernarg", "weight"}]}; weights are launches that one stands for."""
    found, made = {}, {}
    for kind, frame in frames(path, (LAUNCH, SUMMARY)):
        if kind == SUMMARY:
            for one in frame["classes"]:
                made[one["class"]] = one["launches"] / max(one["recorded"], 1)
        else:
            block = [max(size, 1) for size in frame["block"]]
            grid = [-(-items // size) for items, size in zip(frame["grid"], block)]
            found.setdefault(frame["kernel"], []).append(
                {"launch": {"grid": grid, "block": block}, "kernarg": frame["kernarg"],
                 "weight": frame["class"]})
    for records in found.values():
        for one in records:
            one["weight"] = made.get(one["weight"], 1)
    return found
