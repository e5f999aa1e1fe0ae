"""In-memory documents: adding, reading and deleting them."""

import threading

import bitsift
import pytest
from conftest import made, raises


def test_nothing_is_seen_before_commit(empty):
    assert len(empty) == 0 and empty.count("cat") == 0
    empty.add("1", "a cat")
    assert empty.count("cat") == 0
    report = empty.commit()
    assert report.indexed == 1 and report.docs == 1 and report.committed
    assert empty.ids("cat") == ["1"]
    assert empty.search("cat")[0].snippet == "a cat"


def test_documents_can_be_read(index):
    assert index.document("1") == {"title": "Cats", "text": "a cat and a dog", "year": "1990"}
    assert index.ids("title:cats") == ["1", "2"]
    assert index.ids("year:>2000") == ["2", "3", "4"]
    assert [hit.id for hit in index.search("cat", sort="year", descending=True)] == ["4", "2", "1"]


def test_shapes_of_documents(empty):
    empty.add("text", "just a text")
    empty.add(b"bytes", b"just bytes")
    empty.add("nested", {"author": {"name": "Nora", "age": 3}, "tags": ["red", "green"], "none": None, "yes": True})
    empty.commit()
    assert empty.document("text") == {"": "just a text"}
    assert empty.document("bytes") == {"": "just bytes"}
    assert empty.document("nested") == {"author.name": "Nora", "author.age": "3", "tags": ["red", "green"]}
    assert empty.ids("author.name:nora") == ["nested"] and empty.ids("tags:green") == ["nested"]
    assert empty.ids("yes") == []
    for wrong in [3, ["a"], {"a": object()}, None]:
        raises(TypeError, empty.add, "wrong", wrong)
    raises(TypeError, empty.add, 7, "a number is no id")
    raises(ValueError, empty.add, "", "no id")
    empty.commit()
    assert len(empty) == 3


def test_invalid_documents(empty):
    endless = []
    endless.append(endless)
    deep = {"a": "x"}
    for _ in range(100000):
        deep = {"a": deep}

    class Items(dict):
        def __init__(self, items):
            self.given = items

        def items(self):
            return self.given

    for wrong in [{"a": endless}, deep]:
        with pytest.raises(RecursionError):
            empty.add("wrong", wrong)
    del wrong
    while deep:  # otherwise freeing it would recurse
        deep = deep["a"] if isinstance(deep, dict) else None
    for wrong in [Items([3]), Items([("a",)]), Items([("a", "b", "c")]), Items([(3, "x")]), Items([None])]:
        raises(TypeError, empty.add, "wrong", wrong)
    for wrong in [Items([3]), Items([("a",)])]:
        raises(TypeError, bitsift.Index.create, weights=wrong)
        raises(TypeError, bitsift.Statistics, words=wrong)
    for wrong in ["\ud800", {"a": "\ud800"}, {"\ud800": "a"}, {"a": 10**5000}]:
        raises(ValueError, empty.add, "wrong", wrong)
    raises(ValueError, empty.add, "\ud800", "a text")
    empty.commit()
    assert len(empty) == 0


def test_ids_of_records(empty):
    assert empty.add_many([{"id": b"bytes", "text": "cat"}, {"id": 10**30, "text": "cat"}, {"id": "a\0b", "text": "cat \0 x"}]) == 3
    for wrong in [None, True, 1.5, ["a"]]:
        raises(TypeError, empty.add_many, [{"id": wrong, "text": "cat"}])
    empty.commit()
    assert empty.ids("cat") == ["bytes", str(10**30), "a\0b"] and empty.document("a\0b") == {"text": "cat \0 x"}


def test_replace_and_delete(index):
    index.add("1", "a mouse")
    index.replace("2", "two mice")
    raises(bitsift.NotFoundError, index.replace, "new", "never")
    assert index.delete("3") is True and index.delete("3") is False
    index.commit()
    assert index.ids("cat") == ["4"] and index.ids("mouse OR mice") == ["1", "2"] and len(index) == 3
    assert index.delete_query("mouse OR café") == 2
    index.commit()
    assert index.ids("-nothing") == ["2"]
    index.add("3", "back again")
    index.commit()
    assert index.ids("again") == ["3"]


def test_rollback(index):
    index.add("5", "a fifth cat")
    index.delete("1")
    index.rollback()
    index.commit()
    assert index.ids("cat") == ["1", "2", "4"]


def test_writer_commits_or_rolls_back(index):
    with index.writer() as writer:
        writer.add("5", "a fifth cat")
        assert writer.delete("1")
    assert writer.report.indexed == 1
    assert index.ids("cat") == ["2", "4", "5"]
    with pytest.raises(KeyError):
        with index.writer() as writer:
            writer.add("6", "a sixth cat")
            raise KeyError("no")
    index.commit()
    assert index.ids("cat") == ["2", "4", "5"]


def test_add_many(empty):
    n = empty.add_many((f"d{i}", f"word{i % 7} {'even' if i % 2 == 0 else 'odd'}") for i in range(3000))
    assert n == 3000
    assert empty.add_many([{"id": 7, "text": "by its id"}]) == 1
    empty.commit()
    assert len(empty) == 3001 and empty.count("word3 odd") == len([i for i in range(3000) if i % 7 == 3 and i % 2])
    assert empty.ids("its") == ["7"] and empty.document("7") == {"text": "by its id"}


def test_add_many_keeps_documents_before_a_failure(empty):
    def documents():
        yield "1", "a cat"
        yield "2", "a cat"
        raise KeyError("no more")

    raises(KeyError, lambda: empty.add_many(documents()))
    raises(TypeError, empty.add_many, [("3", "a cat"), "neither pair nor dict"])
    raises(KeyError, empty.add_many, [{"text": "no id"}])
    empty.commit()
    assert empty.ids("cat") == ["1", "2", "3"]


def test_options_of_an_index(tmp_path):
    documents = [("1", {"title": "Sailing", "text": "cafés"}), ("2", {"title": "x", "text": "sailed sailed to a café"})]
    with made(documents, stem="english", fold_accents=True, weights={"title": 5}) as index:
        assert index.ids("cafe sail") == ["1", "2"]
        assert index.search("sails")[0].id == "1"
    raises(bitsift.InvalidError, bitsift.Index.create, stem="klingon")
    path = tmp_path / "x.index"
    bitsift.Index.create(path, density=0.2).close()
    raises(FileExistsError, bitsift.Index.create, path)
    made([("1", "there")], path, exist_ok=True).close()
    with bitsift.Index.open(path) as index:
        index.add("2", "there too")
        index.commit()
        assert index.ids("there") == ["1", "2"]
    assert bitsift.check(path).docs == 2
    assert bitsift.compact(path).docs == 2


def test_texts_that_are_not_stored():
    texts = {"1": "a cold harbour", "2": {"text": "a harbour, cold"}, "3": "nothing"}
    asked = []

    def give(id):
        asked.append(id)
        return texts.get(id)

    with made(texts.items(), store=False, texts=give) as index:
        assert index.ids('"cold harbour"') == ["1"] and asked
        assert index.search("cold")[0].snippet
        assert index.document("2") == {"text": "a harbour, cold"}


def test_exceptions_of_a_provider_are_raised():
    def give(id):
        raise LookupError(id)

    with made([("1", "a cold lonely harbour")], store=False, texts=give) as index:
        raises(LookupError, index.ids, '"cold harbour"~3')


def test_memory_is_files(index):
    if index.memory is None:
        assert index.path
        return
    files = index.memory.files()
    assert "manifest" in files
    copy = bitsift.Memory()
    for name, data in files.items():
        copy.put(name, data)
    with bitsift.Index.open(memory=copy) as other:
        assert other.ids("cat") == index.ids("cat")


def test_memory_during_writes():
    """The files of an index can be read while it is written."""
    with bitsift.Index.create() as index:
        over = threading.Event()

        def look():
            while not over.is_set():
                assert "manifest" in index.memory.files()

        thread = threading.Thread(target=look)
        thread.start()
        for i in range(60):
            index.add(str(i), "cat " * 100)
            index.commit()
        over.set()
        thread.join()
        copy = index.memory.copy()
        index.add("more", "cat")
        index.commit()
        with bitsift.Index.open(memory=copy) as other:
            assert len(other) == 60 and len(index) == 61
        copy.remove("manifest")
        copy.remove("manifest")
        raises(bitsift.NotFoundError, bitsift.Index.open, memory=copy)


def test_deleting_from_any_source(folder):
    assert bitsift.delete("built.index", query="cat", dry_run=True).documents == ["1", "2", "4"]
    raises(bitsift.StoppedError, bitsift.delete, "built.index", query="cat", confirm=lambda n: n < 3)
    raises(LookupError, bitsift.delete, "built.index", query="cat", confirm={}.__getitem__)
    assert bitsift.delete("built.index", ["1", "files/a.txt", "none"]).deleted == 2
    with bitsift.Index.open("built.index") as index:
        assert index.ids("cat OR filter") == ["files/b.txt", "2", "4"]
    assert bitsift.delete("built.index", "1", undo=True).deleted == 1
    assert bitsift.delete("built.index", "none").notices
    with bitsift.Index.open("built.index") as index:
        assert index.ids("cat") == ["1", "2", "4"]
    caught = raises(bitsift.InvalidError, bitsift.delete, "built.index", query="+++")
    assert caught.value.position == 0
    for wrong in [(), (["1"], "cat")]:
        raises(TypeError, bitsift.delete, "built.index", *wrong)


def test_files_and_documents(folder):
    with bitsift.Index.open("built.index") as index:
        index.add("given", "a filter from memory")
        index.commit()
        assert index.ids("filter") == ["files/a.txt", "files/b.txt", "given"]
        (folder / "files" / "c.txt").write_text("one more filter")
        index.update()
        assert index.count("filter") == 4


def test_two_writers(tmp_path):
    path = tmp_path / "x.index"
    with bitsift.Index.create(path) as one, bitsift.Index.open(path) as two:
        one.add("1", "first")
        caught = raises(bitsift.BusyError, two.add, "2", "second")
        assert isinstance(caught.value, BlockingIOError) and caught.value.status == "busy"
        one.commit()
        two.add("2", "second")
        two.commit()
        assert two.ids("first OR second") == ["1", "2"] and one.ids("second") == []
        assert one.refresh() and one.ids("second") == ["2"]
