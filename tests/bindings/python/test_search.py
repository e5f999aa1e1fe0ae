"""Searches of an index of files."""

import bitsift
import pytest
from conftest import raises


@pytest.fixture
def opened(folder):
    with bitsift.Index.open("built.index") as index:
        yield index


def test_hits(opened):
    hits = opened.search("filter")
    assert [hit.id for hit in hits] == ["files/b.txt", "files/a.txt"]
    assert len(hits) == 2 and hits.total == 2 and not hits.at_least and hits.unreadable == 0 and not hits.partial
    first = hits[0]
    assert first.rank == 1 and first.score > hits[1].score > 0
    assert first.path == first.name == "files/b.txt"
    assert first.value is None and not first.is_date
    assert next(hits) is first and next(hits) is hits[1]
    raises(StopIteration, next, hits)
    assert list(hits)[0] is first  # hits are a sequence, too
    assert repr(first).startswith("<bitsift.Hit 'files/b.txt' score=1.")
    assert opened.search("nothing")[:] == []


def test_snippets_are_made_late_or_at_once(opened):
    late, now = opened.search("filter"), opened.search("filter", snippets=True)
    assert [hit.snippet for hit in late] == [hit.snippet for hit in now]
    assert late[0].snippet == "A filter for coffee."
    assert [hit.passages for hit in late] == [hit.passages for hit in now]
    place = late[1].passages[1]
    assert (place.line, place.column, place.start, place.stop, place.field) == (2, 31, 54, 60, "")
    assert place.text == "with false positives: Blööm filter"
    assert late[1].best == late[1].passages[0]
    assert not late[0].is_changed
    assert opened.search("coffee", mark=("<", ">"))[0].snippet == "A filter for <coffee>."
    assert opened.search("title:none")[0].passages[0].field == "title"


def test_changed_sources(opened, folder):
    hits = opened.search("coffee")
    (folder / "files" / "b.txt").write_text("More coffee than that.\n")
    assert hits[0].snippet == "More coffee than that." and hits[0].is_changed
    (folder / "files" / "b.txt").unlink()
    assert opened.search("coffee").total == 0


def test_options(opened):
    assert [hit.id for hit in opened.search("cat dog", any=True)] == ["1", "2", "4"]
    assert len(opened.search("cat", n=1)) == 1
    assert [hit.id for hit in opened.search("cat", exhaustive=True)] == [hit.id for hit in opened.search("cat", brute=True)]
    assert [hit.value for hit in opened.search("year:>=1990", sort="year", descending=True)] == ["2020", "2010", "2001", "1990"]
    assert [hit.id for hit in opened.search("a", globs="*.txt")] == [hit.id for hit in opened.search("a", globs=["*.txt"], places=["files"])]
    assert opened.count("a", globs=["!*.txt"]) == 2
    assert opened.count("year:1990..2005") == 2
    assert opened.search("", like="1")[0].id == "2" and "1" not in [hit.id for hit in opened.search("", like="1")]
    assert opened.search("cat and", stop="english", any=True).total == 3
    assert opened.search("catt", suggest=True).notices == ["catt is not in the index; did you mean cat?"]


def test_invalid_numbers(opened):
    for name in ["threads", "columns", "memory_bytes", "offset", "feedback", "n"]:
        raises(ValueError, opened.search, "cat", **{name: -1})
        raises(OverflowError, opened.search, "cat", **{name: 1 << 64})
        raises(TypeError, opened.search, "cat", **{name: 1.5})
    assert len(opened.search("cat", n=(1 << 64) - 1)) == 3 and opened.search("cat", offset=1 << 63).total == 3
    with pytest.raises(OverflowError):
        opened.matrix.segments[0].shards[0].document_columns.view(-1, 1)
    for wrong in [-1, 1 << 64]:
        raises(OverflowError, opened.document, wrong)
        raises(OverflowError, opened.matrix.is_deleted, wrong)


def test_explanations_and_notices(opened, folder):
    hits = opened.search("filter", explain=True)
    assert "filter" in hits.explanation and hits.stats.total_ns > 0 and opened.search("filter").explanation is None
    assert opened.document(hits[0].document) == opened.document(hits[0].id)
    (folder / "files" / "b.txt").write_text("No more of it.\n")
    hits = opened.search("filter", verbose=True)
    assert hits.changed == 1 and hits.gone == 0 and any("b.txt" in notice for notice in hits.notices)


def test_lists_may_be_iterators(opened):
    hits = opened.search("a", globs=(glob for glob in ["*.txt"]), n=1)
    assert [hit.snippet for hit in hits] == [hit.snippet for hit in opened.search("a", globs=["*.txt"], n=1, snippets=True)]


def test_pages_are_exact(opened):
    ids = [hit.id for hit in opened.search("a cat year:>0", n=4, any=True)]
    paged = [hit.id for offset in range(4) for hit in opened.search("a cat year:>0", n=1, offset=offset, any=True)]
    assert paged == ids and len(set(ids)) == 4


def test_counts_and_ids(opened):
    assert opened.count("cat") == 3
    assert opened.ids("cat") == ["1", "2", "4"]
    assert opened.ids("café") == ["4"] and opened.ids("漢字") == ["4"]
    assert opened.ids("filter -coffee") == ["files/a.txt"]
    assert opened.ids(b"caf\xc3\xa9") == ["4"]


def test_documents(opened):
    assert opened.document("files/b.txt") == {"": "A filter for coffee.\n"}
    assert opened.document("2")["title"] == "More cats"
    assert "2" in opened and "none" not in opened
    raises(bitsift.NotFoundError, opened.document, "none")


def test_stats(opened):
    stats = opened.stats()
    assert stats.docs == len(opened) == 6
    assert [source.kind for source in stats.sources] == ["folder", "collection"]
    assert stats.kernel in bitsift.kernels()
    assert stats.postings >= stats.terms > 0


def test_fresh(folder):
    (folder / "files" / "c.txt").write_text("A filter that is new.\n")
    with bitsift.Index.open("built.index", fresh=True) as index:
        assert index.count("filter") == 3
    with bitsift.Index.open("built.index") as index:
        assert index.count("filter") == 2
        report = index.update()
        assert report.indexed == 1 and report.committed
        assert index.count("filter") == 3


def test_refresh_sees_what_others_commit(opened, folder):
    assert not opened.refresh()
    (folder / "files" / "c.txt").write_text("A filter that is new.\n")
    bitsift.build("built.index")
    assert opened.count("filter") == 2
    assert opened.refresh()
    assert opened.count("filter") == 3


def test_ids_of_any_bytes(folder):
    name = b"files/\xff\xfe.txt"
    with open(name, "w") as file:
        file.write("strange\n")
    bitsift.build("built.index")
    with bitsift.Index.open("built.index") as index:
        (hit,) = index.search("strange")
        assert hit.id.encode("utf-8", "surrogateescape") == name
        assert open(hit.path.encode("utf-8", "surrogateescape")).read() == "strange\n"
        assert index.document(hit.id) == {"": "strange\n"}


def test_closed(opened):
    hits = opened.search("coffee")
    opened.close()
    opened.close()
    raises(ValueError, opened.search, "coffee")
    assert hits[0].snippet == "A filter for coffee."  # a hit keeps the memory that it needs
