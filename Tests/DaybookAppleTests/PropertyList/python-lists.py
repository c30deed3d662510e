#!/usr/bin/env python3
"""Writes PythonLists.swift, property lists as CPython's plistlib writes them, and the dumps of whole runs.

Run it in this folder after a change: python3 python-lists.py
"""
import base64
import datetime
import plistlib

UTC = datetime.datetime(2026, 11, 21, 5, 0, 0)

EVERYTHING = {
    "array": [1, "two", [3.5, []]],
    "ascii": "plain",
    "data": bytes(range(20)),
    "date": UTC,
    "dictionary": {"empty": {}, "nested": {"deep": True}},
    "false": False,
    "integers": [0, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**64 - 1, -1, -(2**63)],
    "long": "x" * 300,
    "real": 0.1,
    "text": "행복해 🙂 & <b>",
    "true": True,
}

# More than 255 objects, so that references take two bytes.
WIDE = {"rows": [{"id": n, "name": f"row {n}"} for n in range(300)]}


def written(name, value, form):
    raw = plistlib.dumps(value, fmt=form)
    if form == plistlib.FMT_XML:
        # The tests hold the text itself, which a reviewer can read.
        text = raw.decode()
        return f'    static let {name} = Array(\n        #"""\n' + "".join(
            f"        {line}\n" if line else "\n" for line in text.splitlines()
        ) + f'        """#.utf8\n    )\n'
    lines = base64.encodebytes(raw).decode().split()
    body = "".join(f"        {line}\n" for line in lines)
    return f'    static let {name} = decoded(\n        """\n{body}        """\n    )\n'


with open("PythonLists.swift", "w") as out:
    out.write("// Made by python-lists.py; change that and run it.\n\n")
    out.write("import Foundation\n\n")
    out.write("/// Property lists as CPython's plistlib writes them.\n")
    out.write("enum PythonLists {\n")
    out.write(written("binary", EVERYTHING, plistlib.FMT_BINARY) + "\n")
    out.write(written("xml", EVERYTHING, plistlib.FMT_XML) + "\n")
    out.write("    /// 300 rows under the key `rows`.\n")
    out.write(written("wide", WIDE, plistlib.FMT_BINARY) + "\n")
    out.write("    /// The UIDs of a keyed archive.\n")
    out.write(written("references", {"uids": [plistlib.UID(1), plistlib.UID(70000)]}, plistlib.FMT_BINARY) + "\n")
    out.write("    private static func decoded(_ text: String) -> [UInt8] {\n")
    out.write("        Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters)!)\n")
    out.write("    }\n}\n")

CASES = "../../DaybookEngineTests/Cases/"


def case(folder, value, form=plistlib.FMT_BINARY):
    with open(f"{CASES}{folder}/dump.plist", "wb") as out:
        out.write(plistlib.dumps(value, fmt=form, sort_keys=False))


DDAYS = b'''[{"targetDate":817707600,"dday":100,"backgroundColor":"#EC007F"},
{"backgroundColor":"EC007F","dday":0,"targetDate":817707600.1234567},
{"dday":"soon","targetDate":0,"backgroundColor":"#000000"}]'''
DUMP = {"launches": 12, "DdayManager": DDAYS, "theme": "dark"}
case("rows-of-a-property-list-point-into-it", DUMP)
case("rows-of-an-xml-property-list-tell-its-line", DUMP, plistlib.FMT_XML)
case("the-keys-of-a-property-list-can-be-listed", DUMP)
case("a-key-that-is-not-there-is-given-its-nearest", DUMP)

# An object of the list is made to refer to the list.
circle = bytearray(plistlib.dumps({"DdayManager": [["x"]]}, fmt=plistlib.FMT_BINARY))
circle[circle.index(b"\xa1") + 1] = 0
with open(f"{CASES}a-property-list-that-turns-in-a-circle-is-refused/dump.plist", "wb") as out:
    out.write(circle)
