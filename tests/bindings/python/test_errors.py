"""Failures raise exceptions of bitsift and of Python."""

import os
import pathlib
import re

import bitsift
import pytest
from conftest import raises

BASES = {
    bitsift.InvalidError: (ValueError, "invalid"),
    bitsift.NoMemoryError: (MemoryError, "out of memory"),
    bitsift.IoError: (OSError, None),
    bitsift.NotFoundError: (FileNotFoundError, None),
    bitsift.BusyError: (BlockingIOError, "busy"),
    bitsift.UntrustedError: (PermissionError, None),
    bitsift.DeadlineError: (TimeoutError, None),
    bitsift.CorruptError: (RuntimeError, "corrupt"),
    bitsift.UnsupportedError: (RuntimeError, None),
    bitsift.StoppedError: (RuntimeError, "stopped"),
}


def test_error_classes():
    for error, (base, status) in BASES.items():
        assert issubclass(error, bitsift.Error) and issubclass(error, base), error
        assert status is None or error.status == status
        assert error.__doc__ and error.__module__ == "bitsift"


def test_invalid_queries(index):
    caught = raises(bitsift.InvalidError, index.search, "käse +++", strict=True)
    assert caught.value.position == 5 and "+++" in str(caught.value)
    caught = raises(ValueError, index.count, "+++")
    assert caught.value.status == "invalid"
    assert index.search("cat or dog").notices != []
    assert index.count("cat") == 3  # the searcher still works


def test_arguments(index, tmp_path):
    for wrong in [{"mode": "x"}, {"nonsense": 1}, {"globs": [None]}, {"mark": "x"}, {"globs": 3}]:
        raises(TypeError, index.search, "cat", **wrong)
    for wrong in [{"n": -1}, {"offset": -1}, {"globs": ["a\0b"]}]:
        raises(ValueError, index.search, "cat", **wrong)
    raises(bitsift.InvalidError, index.search, "cat", n=0)
    raises(TypeError, index.search, 3)
    raises(TypeError, bitsift.Index, tmp_path)
    raises(TypeError, bitsift.Hit)


def test_no_index(tmp_path):
    raises(bitsift.NotFoundError, bitsift.Index.open, tmp_path / "nowhere")
    raises(FileNotFoundError, bitsift.Index.open, tmp_path)


def test_a_damaged_index(folder):
    (segment,) = [name for name in os.listdir("built.index") if name.startswith("seg-")][:1]
    with open(f"built.index/{segment}", "r+b") as file:
        file.seek(-100, os.SEEK_END)
        bytes = file.read(1)
        file.seek(-100, os.SEEK_END)
        file.write(bytes.translate(bytes.maketrans(bytes, b"%c" % (bytes[0] ^ 1))))
    raises(bitsift.CorruptError, bitsift.check, "built.index")


def test_messages_name_options_of_the_package(folder):
    """No message names an option of the command line."""
    said = []

    def fails(function, *arguments, **options):
        with pytest.raises(bitsift.Error) as raised:
            function(*arguments, **options)
        said.append(str(raised.value))

    fails(bitsift.Index.create, weights=["title=1000"])
    assert said[-1].startswith("weights: title=1000: not a field")
    fails(bitsift.build, "built.index", stem="english")
    assert "or add rebuild=True to index" in said[-1]
    fails(bitsift.build, "built.index", forget=["nonesuch"])
    assert "stats().sources names them" in said[-1]
    fails(lambda: list(bitsift.grep("x", "files", types="nonesuch")))
    fails(lambda: list(bitsift.grep("x", "files", type_adds="nonesuch")))
    fails(lambda: list(bitsift.grep("x", "files", encoding="nonesuch")))
    assert said[-1].startswith("encoding: nonesuch: not known")
    fails(bitsift.Index.open, "files")
    words = " ".join(f"{i:x}" for i in range(1000000))
    with bitsift.Index.create("made.index", memory_bytes=1 << 24) as index:
        index.add("0", "text")
        fails(bitsift.Index.open("made.index").add, "2", "text")
        assert "or use wait=True" in said[-1]
        fails(index.add, "1", words)
        fails(index.add, "1", "x" * (20 << 20))
    (folder / "files" / "long.txt").write_text("word " * 10000)
    report = bitsift.build("limited.index", "files", words=True, max_document_bytes=30000)
    said += report.notices + list(report.left_out)
    assert any("larger than max_document_bytes" in line for line in said) and "documents over max_document_bytes" in report.left_out or \
        "document over max_document_bytes" in report.left_out
    manifest = folder / "limited.index" / "manifest"
    manifest.write_bytes(b"x" * len(manifest.read_bytes()))
    fails(bitsift.Index.open, "limited.index")
    assert "build(..., rebuild=True)" in said[-1]
    assert not [line for line in said if "--" in line or "`bitsift" in line]


def test_every_option_in_a_message_is_reworded():
    """py_messages.c rewrites each message of the library that names an option of the command."""
    root = pathlib.Path(__file__).resolve().parents[3]
    table = (root / "bindings/python/src/base/py_messages.c").read_text().split("own_words[] = {")[1].split("};")[0]
    phrases = [phrase.replace('\\"', '"').strip("^$") for phrase in re.findall(r'"((?:[^"\\]|\\.)*)"', table)]
    rooms = ["core", "corpus", "indexer", "query/search", "query/regex", "query/grep", "query/candidates"]
    missing = []
    for path in (path for room in rooms for path in sorted((root / room).rglob("*.c"))):
        source = re.sub(r'"\s*\n\s*"', "", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S))
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source):
            # An option that is a literal by itself is a part of a command in a message ("to forget
            # it: bitsift index --forget"); py_messages.c rewords the whole command.
            if re.fullmatch(r" ?--[a-z]+ ?", literal):
                continue
            if re.search(r"(^|[ `(])--[a-z]", literal) and not any(phrase and phrase in literal for phrase in phrases):
                missing.append(f"{path.name}: {literal}")
    assert not missing
