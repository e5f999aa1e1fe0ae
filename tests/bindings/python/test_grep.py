"""Lines that match a regular expression."""

import os
import threading

import bitsift
import pytest
from conftest import raises, run_all


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
        assert lines.result.ruled_out == 1 and lines.result.files_with_match == 1 and lines.result.unread == 0
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


def test_errors(folder):
    with pytest.raises(bitsift.InvalidError):
        list(bitsift.grep("(", "files"))
    lines = bitsift.grep("x", "nowhere")
    assert list(lines) == [] and lines.result.unread == 1 and "nowhere" in lines.result.notices[0]
    raises(bitsift.NotFoundError, lambda: list(bitsift.grep("x", "files", index="nowhere")))
    raises(TypeError, lambda: list(bitsift.grep("x", "files", nonsense=True)))


def test_lines_arrive_when_they_are_found(tmp_path):
    """A line is returned as soon as it is found, even if the next one takes long or never comes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read, written = threading.Event(), []

    def write():
        with open(pipe, "w", buffering=1) as file:
            for number in range(3):
                written.append(number)
                file.write(f"line {number}\n")
                read.wait()
                read.clear()

    writer = threading.Thread(target=write)
    writer.start()
    with bitsift.grep("line", pipe) as lines:
        for number in range(3):
            assert next(lines).text == f"line {number}"
            assert written == list(range(number + 1))
            read.set()
        assert list(lines) == []
    writer.join()


def test_requests(folder):
    (folder / "code.c").write_text("int one(void)\n{\n\treturn 1;\n}\n\nint two(void)\n{\n\treturn 2;\n}\n")
    line = list(bitsift.grep("return", "code.c", enclosing=True))[1]
    assert line.enclosing == (6, "int two(void)")
    assert [line.path for line in bitsift.grep("filter", "files", "code.c", files_without=True)] == ["code.c"]
    assert [line.path for line in bitsift.grep("", "files", list_files=True, descending=True)] == ["files/b.txt", "files/a.txt"]
    assert len(list(bitsift.grep("set\nwith", "files", multiline=True))) == 1
    assert [line.text for line in bitsift.grep("nowhere|filter", "files", max_depth=0)] == []
    lines = bitsift.grep("filter", "files", max_results=2)
    assert [line.number for line in lines] == [1, 2] and lines.result.found == 3
    rest = bitsift.grep("filter", "files", max_results=2, cursor=lines.result.cursor)
    assert [line.path for line in rest] == ["files/b.txt"] and rest.result.cursor is None
    for wrong in [{"max_count": -1}, {"threads": -1}, {"sort": "size"}]:
        raises(ValueError, bitsift.grep, "x", "files", **wrong)
    raises(OverflowError, bitsift.grep, "x", "files", threads=1 << 40)


def test_deadline_and_cancel(tmp_path):
    """A grep that waits for a silent pipe can be ended."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)
    cancel = bitsift.Cancel()
    cancel.set()
    for limit, error in [({"cancel": cancel}, bitsift.StoppedError), ({"deadline": 0.02}, bitsift.DeadlineError)]:
        raises(error, lambda: list(bitsift.grep("line", pipe, **limit)))
        lines = bitsift.grep("line", pipe, partial=True, **limit)
        assert list(lines) == [] and lines.result.partial
    with bitsift.grep("line", pipe) as lines:
        os.write(end, b"line\n")
        assert next(lines).text == "line"
    os.close(end)


def test_threads_share_an_iterator(tmp_path):
    (tmp_path / "x").write_text("line\n" * 20000)
    lines, numbers = bitsift.grep("line", tmp_path), []

    def read():
        numbers.extend(line.number for line in lines)

    run_all([read] * 4)
    assert sorted(numbers) == list(range(1, 20001))


def test_an_abandoned_iterator_ends_its_threads(tmp_path):
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
