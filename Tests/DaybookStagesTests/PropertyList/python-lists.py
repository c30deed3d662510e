#!/usr/bin/env python3
"""Writes PythonLists.swift: property lists as CPython's plistlib writes them.

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
