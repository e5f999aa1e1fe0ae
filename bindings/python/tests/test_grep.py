"""Lines that match a regular expression."""

import threading

import bitsift
import pytest


def test_lines(folder):
    lines = list(bitsift.grep("filter", "files"))
    assert [(line.path, line.number, line.text) for line in lines] == [
        ("files/a.txt", 1, "A Bloom filter is a set"),
        ("files/a.txt", 2, "with false positives: Blööm filter"),
        ("files/b.txt", 1, "A filter for coffee."),
    ]
    assert lines[1].matches == [(28, 34)] and lines[1].text[28:34] == "filter"
    assert lines[1].offset == 24 and not lines[1].is_context


def test_with_an_index(folder):
    with bitsift.Index.open("built.index") as index, index.grep("c[o]ffee", "files") as lines:
        assert [line.path for line in lines] == ["files/b.txt"]
        assert lines.result["ruled_out"] == 1 and lines.result["files_with_match"] == 1 and lines.result["unread"] == 0
    with bitsift.Index.create() as index, pytest.raises(bitsift.InvalidError):
        index.grep("x")


def test_options(folder):
    def texts(*arguments, **options):
        return [line.text for line in bitsift.grep(*arguments, **options)]

    assert texts("BLOOM", "files") == [] and len(texts("BLOOM", "files", ignore_case=True)) == 1
    assert texts("l.m", "files", fixed=True) == []
    assert texts(["coffee", "Bloom"], "files") == ["A Bloom filter is a set", "A filter for coffee."]
    assert texts("filter", "files", ands=["coffee"]) == ["A filter for coffee."]
    assert texts("filter", "files", max_count=1) == ["A Bloom filter is a set", "A filter for coffee."]
    assert texts("filter", "files", globs=["b*"]) == ["A filter for coffee."]
    assert texts("filter", "files", invert=True) == []
    assert texts("false", "files", before=1)[0] == "A Bloom filter is a set"
    files = list(bitsift.grep("filter", "files", files=True))
    assert [(line.path, line.text) for line in files] == [("files/a.txt", None), ("files/b.txt", None)]


def test_what_fails(folder):
    with pytest.raises(bitsift.InvalidError):
        list(bitsift.grep("(", "files"))
    lines = bitsift.grep("x", "nowhere")
    assert list(lines) == [] and lines.result["unread"] == 1 and "nowhere" in lines.result["notices"][0]
    with pytest.raises(bitsift.NotFoundError):
        list(bitsift.grep("x", "files", index="nowhere"))
    with pytest.raises(TypeError):
        list(bitsift.grep("x", "files", nonsense=True))


def test_it_can_be_left(tmp_path):
    for i in range(50):
        (tmp_path / f"{i:02}.txt").write_text("line\n" * 20000)
    before = threading.active_count()
    for _ in range(5):
        lines = bitsift.grep("line", tmp_path)
        assert next(lines).number == 1
        lines.close()
        assert list(lines) == []
    for _ in range(5):
        del lines
        lines = bitsift.grep("line", tmp_path)
        assert next(lines).text == "line"
    del lines
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(10)
    assert threading.active_count() == before
    assert sum(1 for _ in bitsift.grep("line", tmp_path)) == 1000000


def test_lines_of_any_bytes(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff caf\xc3\xa9 end\n")
    (line,) = bitsift.grep("end", tmp_path)
    assert line.text == "\udcff café end" and line.matches == [(7, 10)]
