#!/usr/bin/env python3
"""Write the Core Data stores under this folder, from the JSON of their rows that stands beside each.

The layout is the one that Core Data gives a SQLite store: an entity's rows in `Z<ENTITY>`, the entities in `Z_PRIMARYKEY`, the
model's versions as a binary property list in `Z_METADATA`, and write-ahead logging. SQLite writes its own version into a file,
so a store is compared by what it holds, and one that holds the right rows is left as it is.

    make_stores.py            write what is missing or differs
    make_stores.py --check    write nothing, and fail when something would be written
"""

import base64
import hashlib
import json
import plistlib
import shutil
import sqlite3
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Entity:
    """One entity: its attributes in the order of their columns, what SQLite column type Core Data gives each, and its kind in
    the model (NSAttributeType)."""

    def __init__(self, name, attributes):
        self.name = name
        self.attributes = attributes
        self.table = "Z" + name.upper()

    def create(self):
        columns = "".join(f", Z{name.upper()} {kind}" for name, kind, _ in self.attributes)
        return f"CREATE TABLE {self.table} ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER{columns} )"

    def insert(self):
        return f"INSERT INTO {self.table} VALUES ({', '.join('?' * (3 + len(self.attributes)))})"

    def row(self, key, changes, record):
        return [key, 1, changes] + [value(record.get(name), kind) for name, kind, _ in self.attributes]


def value(given, kind):
    """As Core Data binds it: dates are decimals, flags 0 and 1."""
    if given is None:
        return None
    return {"TIMESTAMP": float, "INTEGER": int, "VARCHAR": str}[kind](given)


STRING, BOOLEAN, DATE = 700, 800, 900
WORD = Entity("Word", [("savedDate", "TIMESTAMP", DATE), ("text", "VARCHAR", STRING)])
LOCATION = Entity(
    "SavedLocationData",
    [
        ("privacyLocation", "INTEGER", BOOLEAN),
        ("savedDate", "TIMESTAMP", DATE),
        ("location", "VARCHAR", STRING),
        ("units", "VARCHAR", STRING),
    ],
)


def metadata(entity, uuid):
    """The property list of `Z_METADATA`, with a hash of the entity's version as the model compiler would make one."""
    version = hashlib.sha256(entity.create().encode()).digest()
    digest = base64.b64encode(hashlib.sha512(version).digest()).decode()
    return plistlib.dumps(
        {
            "NSPersistenceFrameworkVersion": 1414,
            "NSPersistenceMaximumFrameworkVersion": 1414,
            "NSStoreModelVersionChecksumKey": base64.b64encode(version).decode(),
            "NSStoreModelVersionHashes": {entity.name: version},
            "NSStoreModelVersionHashesDigest": digest,
            "NSStoreModelVersionHashesVersion": 3,
            "NSStoreModelVersionIdentifiers": [""],
            "NSStoreType": "SQLite",
            "NSStoreUUID": uuid,
            "_NSAutoVacuumLevel": "2",
        },
        fmt=plistlib.FMT_BINARY,
    )


def model(entity):
    """The blob of `Z_MODELCACHE`: a keyed archive of the model, deflated without a header."""
    objects = ["$null"]

    def add(value):
        objects.append(value)
        return plistlib.UID(len(objects) - 1)

    def described(name, *ancestors):
        return add({"$classname": name, "$classes": [name, *ancestors, "NSObject"]})

    array = described("NSArray")
    dictionary = described("NSMutableDictionary", "NSDictionary")
    attribute = described("NSAttributeDescription", "NSPropertyDescription")

    def listed(values):
        return add({"$class": array, "NS.objects": values})

    def mapped(names, values):
        return add({"$class": dictionary, "NS.keys": names, "NS.objects": values})

    names = [add(name) for name, _, _ in entity.attributes]
    attributes = [
        add({"$class": attribute, "NSPropertyName": name, "NSAttributeType": kind, "NSIsOptional": True, "NSFlagsKey": 0})
        for name, (_, _, kind) in zip(names, entity.attributes)
    ]
    name = add(entity.name)
    entities = add(
        {
            "$class": described("NSEntityDescription"),
            "NSEntityName": name,
            "NSSuperentity": plistlib.UID(0),
            "NSProperties": mapped(names, attributes),
        }
    )
    root = add(
        {
            "$class": described("NSManagedObjectModel"),
            "NSEntities": mapped([name], [entities]),
            "NSVersionIdentifiers": listed([]),
        }
    )
    archive = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": root}, "$objects": objects}
    # Stored blocks are the same bytes with every version of zlib.
    deflated = zlib.compressobj(0, zlib.DEFLATED, -15)
    return deflated.compress(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)) + deflated.flush()


def begin(path, entity, uuid):
    """An empty store, as Core Data lays it out when an app opens it for the first time."""
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA page_size = 4096")
    store.execute("PRAGMA auto_vacuum = INCREMENTAL")
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA wal_autocheckpoint = 0")
    store.execute("BEGIN")
    store.execute(entity.create())
    store.execute(
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
    )
    store.execute("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
    store.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    store.execute("INSERT INTO Z_PRIMARYKEY VALUES (1, ?, 0, 0)", [entity.name])
    store.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", [uuid, metadata(entity, uuid)])
    store.execute("INSERT INTO Z_MODELCACHE VALUES (?)", [model(entity)])
    store.execute("COMMIT")
    return store


def add(store, entity, records, first_key):
    """Rows with growing keys; the sixth key is left out, for a row that was deleted again."""
    store.execute("BEGIN")
    key = first_key
    for record in records:
        key += 1 + (key == 5)
        store.execute(entity.insert(), entity.row(key, 1, record))
    store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = 1", [key])
    store.execute("COMMIT")
    return key


def write_flushed(path, entity, uuid, records):
    """A store whose app was closed in peace: everything is in the one file."""
    store = begin(path, entity, uuid)
    add(store, entity, records, 0)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def write_unflushed(path, entity, uuid, records):
    """A store that was copied while its app was running: the latest rows and a change are still in the log beside it."""
    with tempfile.TemporaryDirectory() as folder:
        live = Path(folder) / path.name
        store = begin(live, entity, uuid)
        early = len(records) * 2 // 3
        key = add(store, entity, [{**records[0], "text": "serendipty"}] + records[1:early], 0)
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.execute(f"UPDATE {entity.table} SET ZTEXT = ?, Z_OPT = 2 WHERE Z_PK = 1", [records[0]["text"]])
        key = add(store, entity, records[early:], key)
        store.execute(entity.insert(), entity.row(key + 1, 1, {"savedDate": 0, "text": "deleted again"}))
        store.execute(f"DELETE FROM {entity.table} WHERE Z_PK = ?", [key + 1])
        for name in (live.name, live.name + "-wal"):
            shutil.copyfile(Path(folder) / name, path.parent / name)
        store.close()


def contents(path):
    """All that a store holds; nothing when there is none. It is read from a copy, since reading a log changes files."""
    if not path.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        log = path.with_name(path.name + "-wal")
        for file in [path] + ([log] if log.exists() else []):
            shutil.copyfile(file, Path(folder) / file.name)
        store = sqlite3.connect(Path(folder) / path.name)
        text = "\n".join(store.iterdump())
        store.close()
        return text, log.exists() and log.stat().st_size > 0


STORES = [
    ("everyday/EveryDay.sqlite", "everyday/words.json", WORD, "6F1B5C0E-4B0E-4E0B-9C57-2D1C53A1E0B1", write_flushed),
    (
        "everyday/unflushed/EveryDay.sqlite",
        "everyday/words.json",
        WORD,
        "6F1B5C0E-4B0E-4E0B-9C57-2D1C53A1E0B1",
        write_unflushed,
    ),
    (
        "weather/Weather.sqlite",
        "weather/saved-locations.json",
        LOCATION,
        "0B9E3C55-7C64-4B52-8C5E-6C7A0D1D2F42",
        write_flushed,
    ),
]


def main():
    is_check = "--check" in sys.argv[1:]
    differing = []
    for name, rows, entity, uuid, write in STORES:
        target = HERE / name
        records = json.loads((HERE / rows).read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / target.name
            write(made, entity, uuid, records)
            if contents(made) == contents(target):
                continue
            differing.append(name)
            if not is_check:
                target.parent.mkdir(parents=True, exist_ok=True)
                for suffix in ("", "-wal", "-shm"):
                    target.with_name(target.name + suffix).unlink(missing_ok=True)
                for file in sorted(Path(folder).iterdir()):
                    shutil.copyfile(file, target.parent / file.name)
    for name in differing:
        print(f"{name}: {'does not hold its rows' if is_check else 'written'}")
    return 1 if is_check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
