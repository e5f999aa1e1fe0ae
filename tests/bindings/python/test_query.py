"""Queries without an index, and several indexes ranked as one."""

import heapq
import json

import bitsift
import pytest
from conftest import made, raises, run_all


def test_a_text_matches_or_not():
    query = bitsift.Query("bloom -coffee")
    assert query.match("A Bloom filter") and not query.match("A paper filter") and query.match("Bloom, coffee") is None
    assert query.match({"title": "x", "text": ["no", "a bloom"]})
    assert bitsift.Query("sail", stem="english").match("sailing") and not bitsift.Query("sail").match("sailing")
    assert bitsift.Query("cafe", fold_accents=True).match("café")
    assert bitsift.Query("server", split_identifiers=True).match("HTTPServer2")
    assert bitsift.Query("name:notes", file_names=True).match("text", name="notes.txt")
    assert bitsift.Query("cat or dog").notices


def test_where():
    match = bitsift.Query('"cold harbour" OR fog').match({"title": "Fog", "text": "é a\ncold  harbour and fog"})
    assert [tuple(place) for place in match.places] == [
        ("title", 0, 1, 1, 0, 3), ("text", 1, 2, 1, 5, 9), ("text", 1, 2, 7, 11, 18), ("text", 1, 2, 19, 23, 26)]
    place = match.places[2]
    assert (place.field, place.line, place.column) == ("text", 2, 7) and "é a\ncold  harbour".encode()[place.start:place.stop] == b"harbour"
    assert match.length == 7


def test_fields():
    assert bitsift.Query("title:fog", fields=["title"]).match({"title": "fog"})
    assert not bitsift.Query("title:fog", fields="title").match({"text": "fog"})
    caught = raises(bitsift.InvalidError, bitsift.Query, "fog +++", strict=True)
    assert caught.value.position == 4 and "^" in caught.value.caret
    for wrong in [{"nonsense": 1}, {"index": 3}, {"fields": 3}]:
        raises((TypeError, AttributeError), bitsift.Query, "fog", **wrong)
    with pytest.raises(TypeError):
        bitsift.Query("fog").match(3)


def test_a_query_agrees_with_the_index(index):
    for text in ["cat", "cat -dog", '"a cat"', "title:cats", "year:>2000", "café 漢字", "ca*", "cat~1", "none OR dog"]:
        query = index.query(text)
        statistics = index.statistics(text)
        scores = {hit.id: hit.score for hit in index.search(text)}
        for id in ["1", "2", "3", "4"]:
            document = index.document(id)
            assert bool(query.match(document)) == (id in scores), (text, id)
            assert query.score(document, statistics) == scores.get(id, 0), (text, id)


def test_an_index_outlives_its_queries():
    with bitsift.Index.create(stem="english") as index:
        query = bitsift.Query("sails", index=index)
    del index
    assert query.match("sailing")
    with bitsift.Index.create() as index:
        pass
    raises(ValueError, bitsift.Query, "x", index=index)


def test_several_indexes_rank_as_one():
    texts = {str(i): " ".join(f"w{(i * k) % 37}" for k in range(1, 5 + i % 7)) for i in range(600)}
    parts = [made(item for item in texts.items() if int(item[0]) * 3 // 600 == n) for n in range(3)]
    with made(texts.items()) as whole:
        for query in ["w3 w7", "w1*", "w12 OR w5 OR w30"]:
            total = sum((part.statistics(query) for part in parts), bitsift.Statistics())
            wanted = [(hit.id, hit.score) for hit in whole.search(query)]
            hits = heapq.merge(*(part.search(query, statistics=total) for part in parts), key=lambda hit: -hit.score)
            assert [(hit.id, hit.score) for hit in hits][:10] == wanted
            assert total.docs == 600 and total.words == whole.statistics(query).words
            assert parts[0].search(query, statistics=total)[0].snippet


def test_statistics_can_be_sent(index):
    one = index.statistics("cat title:cats")
    again = bitsift.Statistics(**json.loads(json.dumps(one.parts())))
    assert again.parts() == one.parts() and one.docs == 4 and one.words["cat"] == 3 and one.fields
    assert [hit.score for hit in index.search("cat", statistics=again)] == [hit.score for hit in index.search("cat")]
    assert (one + again).words["cat"] == 6
    raises(bitsift.InvalidError, index.search, "dog", statistics=one)
    for wrong in [{"docs": -1}, {"words": {"x": -1}}, {"words": 3}, {"fields": {"x": 999}}, {"words": {"x": None}}, {"nonsense": 1}]:
        raises((ValueError, TypeError, OverflowError, bitsift.Error, AttributeError), bitsift.Statistics, **wrong)
    raises(TypeError, index.search, "cat", statistics={})
    with pytest.raises(TypeError):
        one + 1


def test_deadline_and_cancel():
    long = "w1 w2, " * 3000000
    with pytest.raises(TimeoutError):
        bitsift.Query('"w2 w1"~9', deadline=0.001).match(long)
    cancel = bitsift.Cancel()
    query = bitsift.Query('"w2 w1"~9', cancel=cancel)
    assert query.match("w2 w1")
    cancel.set()
    raises(bitsift.StoppedError, query.match, long)
    cancel.clear()
    assert query.match("w2 w1")


def test_threads_share_a_query():
    query = bitsift.Query('"w1 w2" OR w5*')
    wrong = []

    def ask(n):
        for i in range(300):
            text = "w1 w2 x " * 20 if (i + n) % 2 else "w2 w1 x " * 20
            if bool(query.match(text)) != bool((i + n) % 2):
                wrong.append(text)

    run_all([lambda n=n: ask(n) for n in range(4)])
    assert not wrong
