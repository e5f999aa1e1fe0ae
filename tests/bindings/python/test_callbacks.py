"""Python functions that the library calls: analyzers, logs, progress, and stop callbacks."""

import contextlib
import gc
import logging
import re
import sys
import threading
import weakref

import bitsift
import pytest
from conftest import made, raises, slow_query


def capitals(text):
    """An analyzer whose words are the capitalized words of the text, unchanged."""
    return [(word.group(), word.start(), word.end()) for word in re.finditer("[A-ZÄÖÜ]\\w*", text)]


def test_an_analyzer(tmp_path):
    analyzer = bitsift.Analyzer("capitals-1", capitals)
    path = tmp_path / "x.index"
    with made([("1", "das Öl im Haus, Übel"), ("2", "das öl im haus")], path, analyzer=analyzer) as index:
        assert index.ids("Öl Haus") == ["1"] and index.count("Haus") == 1
        assert index.search("Übel", mark=("<", ">"))[0].snippet == "das Öl im Haus, <Übel>"
        assert index.query("Haus").match("ein Haus").places[0].start == 4
    with pytest.raises(bitsift.UnsupportedError, match="capitals-1"):
        bitsift.Index.open(path)
    with bitsift.Index.open(path, analyzer=analyzer) as index:
        assert index.ids("Haus") == ["1"]
    raises(ValueError, lambda: bitsift.Index.create(analyzer=bitsift.Analyzer("not a name", capitals)))
    for wrong in [("x",), ("x", 3), (3, capitals)]:
        raises(TypeError, bitsift.Analyzer, *wrong)


def test_an_analyzer_of_files_on_many_threads(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for i in range(200):
        (folder / f"{i}.txt").write_text(f"Haus Nummer{i} klein")
    analyzer = bitsift.Analyzer("capitals-1", capitals)
    bitsift.build(tmp_path / "x.index", [folder], words=True, analyzer=analyzer, threads=4)
    with bitsift.Index.open(tmp_path / "x.index", analyzer=analyzer) as index:
        assert index.count("Haus") == 200 and len(index.ids("Nummer17")) == 1

    def fail(text):
        raise LookupError("no words today")

    with pytest.raises(LookupError, match="no words today"):
        bitsift.build(tmp_path / "y.index", [folder], words=True, analyzer=bitsift.Analyzer("x", fail), threads=4)


@pytest.mark.parametrize("words", [3, ["x"], [("x", 0)], [("x", 5, 2)], [("x", 0, 99)], [("", 0, 1)], [("b", 1, 2), ("a", 0, 1)],
                                   [("\ud800", 0, 1)]])
def test_invalid_analyzers(words):
    with bitsift.Index.create(analyzer=bitsift.Analyzer("x", lambda text: words)) as index:
        with pytest.raises((TypeError, ValueError)):
            index.add("1", "text")
            index.commit()
        index.rollback()


def test_a_log(tmp_path, caplog):
    with caplog.at_level(logging.DEBUG, logger="notes"):
        with made([("1", "a cat, 100% of it")], tmp_path / "x.index", log="notes", slow=1e-9) as index:
            index.search("cat 100%")
        bitsift.Index.open(tmp_path / "x.index", log="notes").count("cat")
    bitsift.check(tmp_path / "x.index", log="notes")
    levels = {record.levelno for record in caplog.records}
    assert {logging.DEBUG, logging.INFO, logging.WARNING} <= levels and all(record.name == "notes" for record in caplog.records)
    assert any("committed, 1 documents indexed" in record.getMessage() for record in caplog.records)
    assert any("cat 100%" in record.getMessage() for record in caplog.records)
    caplog.clear()
    logging.getLogger("quiet").setLevel(logging.ERROR)
    with bitsift.Index.create(log=logging.getLogger("quiet")) as index:
        index.search("cat")
    assert not caplog.records
    raises(AttributeError, bitsift.Index.create, log=3)


def test_progress(folder):
    told = []
    for i in range(300):
        (folder / "files" / f"n{i}.txt").write_text(f"file {i} " * 500)
    bitsift.build("built.index", progress=told.append)
    bitsift.check("built.index", progress=lambda done, total: told.append((done, total)))

    def stop(so_far):
        raise LookupError(so_far.step)

    raises(LookupError, bitsift.build, "other.index", ["files"], progress=stop)
    assert not (folder / "other.index").exists()
    raises(TypeError, bitsift.build, "built.index", progress=3)


SLOW = slow_query(900)


def test_cancel(many):
    cancel = bitsift.Cancel()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(bitsift.StoppedError):
        while True:
            many.count(SLOW, brute=True, cancel=cancel)
    assert cancel.is_set()
    assert many.search(SLOW, brute=True, cancel=cancel, partial=True).partial
    cancel.clear()
    assert many.count("w1", cancel=cancel) > 0
    cancel.set()
    many.add("new", "text")
    raises(bitsift.StoppedError, many.commit, cancel=cancel)
    many.rollback()
    many.commit(deadline=60)
    assert "new" not in many
    raises(TypeError, lambda: many.search("w1", cancel=threading.Event()))


def test_limits(many):
    assert many.search("w1", deadline=float("inf")).total and many.search("w1", deadline=None).total
    for over in [0, -1, 1e-12, 0.005]:
        raises(TimeoutError, many.search, SLOW, brute=True, deadline=over)
    assert many.search(SLOW, brute=True, deadline=0.005, partial=True).partial
    raises(ValueError, lambda: many.search("w1", deadline=float("nan")))
    raises(TypeError, many.search, "w1", deadline="soon")
    raises(MemoryError, many.search, SLOW, memory_bytes=1)
    raises(TimeoutError, bitsift.check, many.path, memory=many.memory, deadline=0)


def test_a_function_that_refers_to_its_index_is_freed():
    def make():
        index = bitsift.Index.create(store=False, texts=lambda id: index and "a cat")
        index.add("1", "a cat")
        index.commit()
        assert index.ids('"a cat"')
        hits = index.search("cat")
        keep = [index.query("cat"), hits[0].snippet, index.matrix.segments, hits]
        return weakref.ref(index), keep and None

    index, _ = make()
    gc.collect()
    assert index() is None


def test_a_provider_cannot_use_its_writer():
    refused = []

    def give(id):
        for _ in range(2):
            try:
                index.add_many((f"n{i}", "x") for i in range(600))
            except RuntimeError as error:
                refused.append(error)
        return "a cold, lonely harbour"

    with bitsift.Index.create(store=False, texts=give) as index:
        index.add("1", "a cold, lonely harbour")
        index.commit()
        assert index.delete_query('"cold harbour"~3') == 1
        assert len(refused) >= 2 and "callback" in str(refused[0])
        index.commit()
        assert len(index) == 0


def opening(index):
    """The options with which the index was opened."""
    return {"memory": index.memory, "texts": index._opening["texts"], "analyzer": index._opening["analyzer"]}


# Ways to use an index from one of its own callbacks.
HOWS = {
    "search": lambda index: index.search('"big dog"'),
    "ids": lambda index: index.ids("big -dog OR dog~1"),
    "count": lambda index: index.count('"common big"~3'),
    "statistics": lambda index: index.statistics("big dog"),
    "document": lambda index: index.document("d1"),
    "query": lambda index: index.query("big dog").match("a big dog"),
    "candidates": lambda index: index.matrix.candidates('"big dog"'),
    "open": lambda index: bitsift.Index.open(**opening(index)).search('"big dog"'),
    "write": lambda index: (index.add("d1", "a big dog"), index.commit()),
    "delete": lambda index: index.delete_query('"big dog"'),
    "compact": lambda index: bitsift.compact(None, **opening(index)),
}


class Depth:
    """Measures how deeply calls of a function are nested."""

    now = most = 0

    def __enter__(self):
        self.now += 1
        self.most = max(self.most, self.now)

    def __exit__(self, *exception):
        self.now -= 1


@pytest.mark.parametrize("limit", [200, 20000])
@pytest.mark.parametrize("how", HOWS)
def test_a_provider_that_uses_its_index(how, limit):
    docs = {f"d{i}": f"common big dog {i}" for i in range(60)}
    state = [docs.get]
    index = made(docs.items(), texts=lambda id: state[0](id), store=False)
    depth = Depth()

    def ask(id):
        with depth:
            HOWS[how](index)
        return docs[id]

    state[0] = ask
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        for ask_index in (lambda: index.search('"big dog"'), lambda: HOWS[how](index)):
            with contextlib.suppress(RecursionError, bitsift.Error, RuntimeError):
                ask_index()
    finally:
        sys.setrecursionlimit(before)
    assert depth.most <= 16
    state[0] = docs.get
    assert index.count('"big dog"') == 60


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("threads", [1, 2])
def test_an_analyzer_that_uses_its_index(how, threads):
    state = [capitals]
    analyzer = bitsift.Analyzer("nested", lambda text: state[0](text))
    index = made(((f"d{i}", "Big Dog " * 50) for i in range(60)), analyzer=analyzer, threads=threads)

    def ask(text):
        HOWS[how](index)
        return capitals(text)

    state[0] = ask
    for work in (lambda: index.search("Big Dog"), lambda: index.query("Big Dog"), lambda: HOWS[how](index)):
        with contextlib.suppress(RecursionError, bitsift.Error, RuntimeError):
            work()
    with contextlib.suppress(RecursionError, bitsift.Error, RuntimeError):
        index.add_many((f"e{i}", "Big Dog " * 5000) for i in range(60))
        index.commit()
    state[0] = capitals
    index.rollback()
    assert index.search('"Big Dog"', exhaustive=True).total >= 60


def test_a_search_in_an_analyzer_is_a_recursion_error():
    state = [capitals]
    index = made([("1", "Big Dog")], analyzer=bitsift.Analyzer("nested", lambda text: state[0](text)))
    state[0] = lambda text: index.search("Big") and capitals(text)
    with pytest.raises(RecursionError, match="more than 16 deep"):
        index.search("Big")
    state[0] = capitals
    assert index.ids("Big") == ["1"]


def test_a_mapping_that_uses_its_index():
    class Document(dict):
        def items(self):
            index.search('"big dog"')
            return super().items()

    state = [{"a": "big dog"}]
    index = made([("1", {"a": "big dog"})], texts=lambda id: state[0], store=False)

    class Mapping:
        def items(self):
            return Document(a="big dog").items()
        keys = values = __getitem__ = lambda *_: None

    state[0] = Mapping()
    raises(RecursionError, index.search, '"big dog"')


class Nested(logging.Handler):
    """A logging handler that uses the index whose messages it gets."""

    def __init__(self, how):
        super().__init__(logging.DEBUG)
        self.how = how
        self.index = None
        self.n = 0

    def emit(self, record):
        self.n += 1
        if self.index is not None:
            with contextlib.suppress(bitsift.Error, RuntimeError):
                HOWS[self.how](self.index)


@pytest.mark.parametrize("how", HOWS)
def test_a_logger_that_uses_its_index(how):
    logger = logging.getLogger(f"nested.{how}")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    handler = Nested(how)
    logger.addHandler(handler)
    index = bitsift.Index.create(log=logger, slow=1e-9)
    handler.index = index
    for i in range(5):
        with contextlib.suppress(bitsift.Error, RuntimeError):
            index.add(f"d{i}", "a big dog")
            index.commit()
            index.search('"big dog"')
    assert 5 <= handler.n < 200
    logger.removeHandler(handler)
    index.rollback()
    assert index.count("dog") >= 1


def test_a_build_in_a_progress_function(folder):
    depth = Depth()

    def build(so_far):
        with depth:
            bitsift.build(None, ["files"], memory=bitsift.Memory(), progress=build)

    raises(RecursionError, bitsift.build, "built.index", ["files"], progress=build)
    assert depth.most == 16

    def check(*done):
        bitsift.check("built.index", progress=check)

    bitsift.build("built.index", ["files"])
    raises(RecursionError, check)

    def confirm(n):
        return bitsift.delete("built.index", query="filter", confirm=confirm)

    raises((RecursionError, bitsift.Error), bitsift.delete, "built.index", query="filter", confirm=confirm)
