import json
import signal
import threading

import pytest

import bitsift

# Tests send SIGINT, which this process may ignore, if it was started in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)

RECORDS = [
    {"id": "1", "title": "Cats", "text": "a cat and a dog", "year": 1990},
    {"id": "2", "title": "More cats", "text": "a cat, a cat, a cat", "year": 2001},
    {"id": "3", "title": "None", "text": "no animals", "year": 2010},
    {"id": "4", "title": "Ünïcode", "text": "naïve café 漢字 cat", "year": 2020},
]


def made(documents, path=None, **options):
    """Returns a new index of documents: pairs of ids and documents."""
    index = bitsift.Index.create(path, **options)
    index.add_many(documents)
    index.commit()
    return index


@pytest.fixture(params=["memory", "directory"])
def empty(request, tmp_path):
    """An index without documents."""
    path = None if request.param == "memory" else tmp_path / "made.index"
    with bitsift.Index.create(path) as index:
        yield index


@pytest.fixture
def index(empty):
    """An index of RECORDS."""
    empty.add_many(RECORDS)
    empty.commit()
    return empty


@pytest.fixture
def many(empty):
    """An index of many documents, for slow_query."""
    empty.add_many((str(i), " ".join(f"w{(i * k) % 977}" for k in range(60))) for i in range(6000))
    empty.commit()
    return empty


def slow_query(n):
    return " OR ".join(f'"w{i} w{(i * 3) % 977}"~5' for i in range(1, n))


# Checks that a call raises this exception.
raises = pytest.raises


def run_all(functions):
    """Runs each function on its own thread; none may fail."""
    errors = []

    def catch(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=catch, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files and a collection, indexed in `built.index`, all in the working directory."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.txt").write_text("A Bloom filter is a set\nwith false positives: Blööm filter\n", encoding="utf-8")
    (files / "b.txt").write_text("A filter for coffee.\n", encoding="utf-8")
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    bitsift.build("built.index", ["files", "records.jsonl"], words=True, grams=True)
    return tmp_path
