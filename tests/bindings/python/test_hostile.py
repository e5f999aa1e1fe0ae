"""Documents with hostile ids, field names and texts are found after commit, compact and rebuild.

BITSIFT_HOSTILE_ROUNDS and BITSIFT_HOSTILE_SEED: the number of rounds, and the seed of the first."""

import os
import random
import re

import bitsift
import pytest
from conftest import raises

ROUNDS = int(os.environ.get("BITSIFT_HOSTILE_ROUNDS", "6"))
SEED = int(os.environ.get("BITSIFT_HOSTILE_SEED", "1"))

SPECIAL = [
    b"", b"#", b":", b"/", b"..", b"-", b"--", b"\n", b"\r\n", b"\t", b" ", b"\x7f", b"\x1b[2J", b"a#1", b"-:1", b":1", b"id", b"name", b"a.b",
    b"\0", b"\0\0", b"a\0", b"\0a", b"a\0b", b"a\0c", b"ab", b"\xff", b"\xc3", b"a\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xef\xbf\xbd",
    b"\xef\xbb\xbf", b"\xe2\x80\xaeabc", b"\xe2\x81\xa6x\xe2\x81\xa9", b"\xc3\xa9", b"e\xcc\x81", b"ff", b"FF", b"0", b"-0", b"18446744073709551616",
    b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"a\xef\xbf\xbeb", b"\xd7\x90\xd7\x91", b"\xe2\x80\x8f", b"AND", b"(a", b"a^2", b"'", b'"', b"\\", b"*", b"\xf0\x9f\x91\xa9",
]  # fmt: skip


class World:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.last = [b"x"]
        self.documents = {}  # id: (word, field)
        self.n = 0

    def hostile(self):
        kind = self.random.randrange(8)
        if kind < 3:
            made = self.random.choice(SPECIAL)
        elif kind < 5:
            made = self.random.choice(self.last) + self.random.choice([b"\0", b"#", b":1", b"/", b"\xff", b"A", b""])
        elif kind == 5:
            made = b"ax\xc3"[self.random.randrange(3) :][:1] * self.random.choice([254, 255, 256, 257, 4096, 65535, 65536])
        else:
            made = self.random.randbytes(self.random.randrange(30))
        self.last = self.last[-7:] + [made]
        return made

    def word(self):
        self.n += 1
        letters, n = "q", self.n
        for _ in range(6):
            letters, n = letters + "abcdefghijklmnoprstv"[n % 20], n // 20
        return letters

    def name(self):
        """The name of a field as a str: invalid UTF-8 becomes surrogates or U+FFFD."""
        return self.hostile().decode("utf-8", self.random.choice(["replace", "surrogateescape"]))

    def put(self, index, id=None):
        id = id or self.hostile() or b"e"
        word, field = self.word(), self.name()
        document = {self.name(): self.hostile() for _ in range(self.random.randrange(3))}
        document[field] = self.hostile() + b"\n" + word.encode() + b"\n" + self.hostile()[:300]
        index.add(id, document)
        self.documents[id] = (word, field)


def as_bytes(id):
    return id if isinstance(id, bytes) else id.encode("utf-8", "surrogateescape")


def refuse(index):
    """A document with surrogates that represent no byte is refused as a whole."""
    for id, document in [("a\ud800", {"a": "cat"}), ("refused", {"a\ud800": "cat"}), ("refused", {"a": "cat", "b": "\udbff"})]:
        raises(UnicodeEncodeError, index.add, id, document)


def expect(world, index):
    for id, (word, field) in world.documents.items():
        assert [as_bytes(found) for found in index.ids(word)] == [id]
        assert id in index
        if re.fullmatch("[A-Za-z0-9]{1,255}", field) and field not in ("AND", "OR", "NOT"):
            assert index.count(f"{field}:{word}") == 1


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_documents(seed, tmp_path):
    world = World(seed)
    name = bytes(byte for byte in world.hostile()[:200] if byte not in b"/\0") + b".ix"
    path = None if seed % 3 == 0 else os.path.join(os.fsencode(tmp_path), name)
    with bitsift.Index.create(path) as index:
        for _ in range(8):
            world.put(index)
        refuse(index)
        index.commit()
        assert len(index) == len(world.documents)
        expect(world, index)
        world.put(index, world.random.choice(list(world.documents)))
        gone = world.random.choice(list(world.documents))
        index.delete(gone)
        word, _ = world.documents.pop(gone)
        world.put(index)
        index.commit()
        expect(world, index)
        assert index.count(word) == 0 or gone in world.documents
    if path is None:
        return
    bitsift.check(path)
    bitsift.compact(path)
    with bitsift.Index.open(path) as index:
        expect(world, index)
    bitsift.build(path, rebuild=True)
    bitsift.check(path)
    with bitsift.Index.open(path) as index:
        expect(world, index)


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_files(seed, tmp_path):
    world = World(seed)
    root = os.fsencode(tmp_path)
    words = {}
    for _ in range(6):
        name = bytes(byte for byte in world.hostile()[:255] if byte not in b"/\0") or b"x"
        if name in (b".", b"..", b".git", b".ignore", b".gitignore"):
            continue
        words[name] = world.word()
        with open(os.path.join(root, name), "w") as file:
            file.write(f"the {words[name]}\n")
    path = os.path.join(root, b"index.ix")
    for options in [{"hidden": True, "no_ignore": True}, {}, {"rebuild": True}]:
        bitsift.build(path, [root] if "hidden" in options else [], **options)
        bitsift.check(path)
        with bitsift.Index.open(path) as index:
            for name, word in words.items():
                assert [os.path.basename(as_bytes(found)) for found in index.ids(word)] == [name]


def test_options_that_a_manifest_cannot_store(tmp_path):
    (tmp_path / "a.txt").write_text("a cat\n")
    path = tmp_path / "index"
    bitsift.build(path, [tmp_path / "a.txt"])
    for options in [{"max_document_bytes": 1 << 40}, {"globs": ["["]}, {"records": ["{a"]}]:
        raises(ValueError, bitsift.build, path, rebuild=True, **options)
        raises(ValueError, bitsift.build, tmp_path / "other", [tmp_path / "a.txt"], **options)
        assert not (tmp_path / "other").exists()
    bitsift.check(path)
    with bitsift.Index.open(path) as index:
        assert index.count("cat") == 1
