# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes heads of PVs (label, one metadata area, the VG's text), for measurements with many PVs."""
import struct
import zlib

CRC_INITIAL = 0xF597A6CF
LABEL_AT, AREA_AT, AREA_BYTES, HEADER_BYTES = 512, 4096, 1044480, 512
DATA_AT = 1048576
DEVICE_BYTES = 16 * 1048576
AREA_MAGIC = b" LVM2 x[5A%r0N*>"
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def crc(data):
    return zlib.crc32(data, CRC_INITIAL ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def make_id(kind, number):
    """Returns 32 characters, the same for the same arguments."""
    text, value = "", number
    while value:
        value, digit = divmod(value, len(ALPHABET))
        text += ALPHABET[digit]
    return (kind + text).ljust(32, "0")


def hyphened(uuid):
    parts, at = [], 0
    for size in (6, 4, 4, 4, 4, 4, 6):
        parts.append(uuid[at:at + size])
        at += size
    return "-".join(parts)


def lv_text(name, number, pv):
    """The text of one linear LV on the first extent of a PV."""
    return [f"{name} {{", f'id = "{hyphened(make_id("LV", number))}"',
            'status = ["READ", "WRITE", "VISIBLE"]', "flags = []", "creation_time = 1700000000",
            'creation_host = "bench"', "segment_count = 1", "", "segment1 {", "start_extent = 0",
            "extent_count = 1", "", 'type = "striped"', "stripe_count = 1", "", "stripes = [",
            f'"pv{pv}", 0', "]", "}", "}", ""]


def vg_text(name, vg_id, pvids, extents=3, lvs=0):
    """A VG's metadata; @lvs: number of LVs, each on its own PV."""
    lines = [f"{name} {{", f'id = "{hyphened(vg_id)}"', "seqno = 1", 'format = "lvm2"',
             'status = ["RESIZEABLE", "READ", "WRITE"]', "flags = []", "extent_size = 8192",
             "max_lv = 0", "max_pv = 0", "metadata_copies = 0", "", "physical_volumes {", ""]
    for i, pvid in enumerate(pvids):
        lines += [f"pv{i} {{", f'id = "{hyphened(pvid)}"', f'device = "/dev/bench{i}"', "",
                  'status = ["ALLOCATABLE"]', "flags = []", f"dev_size = {DEVICE_BYTES // 512}",
                  f"pe_start = {DATA_AT // 512}", f"pe_count = {extents}", "}", ""]
    if lvs:
        lines += ["}", "", "logical_volumes {", ""]
    for i in range(lvs):
        lines += lv_text(f"lv{i}", i, i)
    lines += ["}", "", "}", "# Generated", "", 'contents = "Text Format Volume Group"',
              "version = 1", "", 'description = ""', "", 'creation_host = "bench"',
              "creation_time = 1700000000", ""]
    return "\n".join(lines).encode() + b"\0"


def label(pvid, has_area=True):
    area = struct.pack("<QQ", AREA_AT, AREA_BYTES) if has_area else b""
    body = struct.pack("<8s", b"LVM2 001")
    body += pvid.encode() + struct.pack("<Q", DEVICE_BYTES)
    body += struct.pack("<QQQQ", DATA_AT, 0, 0, 0) + area + struct.pack("<QQ", 0, 0)
    body += struct.pack("<II", 2, 1) + struct.pack("<QQ", 0, 0)
    rest = (struct.pack("<I", 32) + body).ljust(512 - 20, b"\0")
    return struct.pack("<8sQI", b"LABELONE", LABEL_AT // 512, crc(rest)) + rest


def area_header(text, text_at):
    rest = AREA_MAGIC + struct.pack("<IQQ", 1, AREA_AT, AREA_BYTES)
    rest += struct.pack("<QQII", text_at, len(text), crc(text), 0)
    rest = rest.ljust(HEADER_BYTES - 4, b"\0")
    return struct.pack("<I", crc(rest)) + rest


def write(path, pvid, text, text_at=64 * 1024):
    """Makes a sparse file. @text: None: no metadata area. @text_at: offset in the area; the text of a VG that
    was changed often has a large one."""
    with open(path, "wb") as file:
        file.truncate(DEVICE_BYTES)
        file.seek(LABEL_AT)
        file.write(label(pvid, text is not None))
        if text is None:
            return
        file.seek(AREA_AT)
        file.write(area_header(text, text_at))
        file.seek(AREA_AT + text_at)
        file.write(text)
