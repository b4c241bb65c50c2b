# SPDX-License-Identifier: Apache-2.0
"""plyvel, Python's binding of LevelDB, unmodified, on either library."""
import sys

import pytest
from conftest import run

pytest.importorskip("plyvel")

PROGRAM = """
import random, sys
import plyvel

chance = random.Random(int(sys.argv[2]))
options = {"create_if_missing": True, "write_buffer_size": 65536,
           "bloom_filter_bits": 10, "lru_cache_size": 100000}
try:
    plyvel.DB(sys.argv[1])
except plyvel.Error as error:
    print(type(error).__name__, "does not exist" in str(error))
db = plyvel.DB(sys.argv[1], **options)
try:
    plyvel.DB(sys.argv[1])
except plyvel.IOError as error:
    print("locked", "lock" in str(error))
key = lambda: str(chance.randrange(500)).encode()
for i in range(3000):
    what = chance.randrange(10)
    if what < 5:
        db.put(key(), b"v" * chance.randrange(200), sync=what == 0 and i < 100)
    elif what < 6:
        db.delete(key())
    elif what < 7:
        with db.write_batch(transaction=True) as batch:
            for _ in range(5):
                batch.put(key(), key())
                batch.delete(key())
    elif what < 8:
        print(db.get(key(), b"none"))
    elif what < 9:
        with db.snapshot() as snapshot:
            db.put(key(), b"new")
            print([len(v) for _, v in snapshot.iterator(prefix=b"3")])
    else:
        with db.iterator(start=key(), reverse=chance.random() < 0.5,
                         include_value=False) as entries:
            print([k for k, _ in zip(entries, range(5))])
db.compact_range(start=b"1", stop=b"4")
print(db.get_property(b"leveldb.stats") is not None, db.get_property(b"no"))
print(len(db.approximate_sizes((b"0", b"9"), (b"1", b"2"))))
sub = db.prefixed_db(b"sub-")
sub.put(b"a", b"b")
print(list(sub), db.get(b"sub-a"))
raw = db.raw_iterator()
raw.seek_to_last()
print(raw.key(), raw.value())
raw.close()
print(sum(1 for _ in db))
db.close()
backwards = sys.argv[1] + "-order"
db = plyvel.DB(backwards, create_if_missing=True, comparator_name=b"reverse",
               comparator=lambda a, b: (a < b) - (a > b))
for i in range(50):
    db.put(key(), b"x")
print([k for k, _ in db])
db.close()
try:
    plyvel.DB(backwards)
except plyvel.Error as error:
    print(type(error).__name__, str(error).split(": ", 1)[1])
plyvel.repair_db(sys.argv[1])
print(sum(1 for _ in plyvel.DB(sys.argv[1])))
plyvel.destroy_db(sys.argv[1])
"""


def test_runs_unmodified(fresh):
    theirs, ours = (run(library, sys.executable, "-c", PROGRAM,
                        fresh() / "db", 3).stdout
                    for library in ("theirs", "ours"))
    assert theirs.count(b"\n") > 600
    assert ours == theirs


def test_uses_our_library(fresh):
    shown = run("ours", sys.executable, "-c",
                "import plyvel, sys\n"
                "db = plyvel.DB(sys.argv[1], create_if_missing=True)\n"
                "print(db.get_property(b'tamis.json') is not None)\n",
                fresh() / "db").stdout
    assert shown == b"True\n"
