"""Many threads search an index while one writes; other threads run during library calls."""

import threading
import time

from conftest import made, run_all, slow_query


def test_searches_and_commits(empty):
    empty.add_many((str(i), f"all word{i % 10}") for i in range(500))
    empty.commit()
    done = threading.Event()

    def search():
        while not done.is_set():
            n = empty.count("all")
            assert n >= 500 and n % 100 == 0
            hits = empty.search("word3")
            assert all("word3" in hit.snippet for hit in hits)

    def write():
        try:
            for batch in range(5):
                empty.add_many((f"{batch}-{i}", f"all new{i % 10}") for i in range(100))
                empty.commit()
        finally:
            done.set()

    run_all([search, search, search, write])
    assert empty.count("all") == 1000


def test_writers_of_several_threads_take_turns(empty):
    def add(name):
        for i in range(200):
            empty.add(f"{name}-{i}", f"text of {name}")

    run_all([lambda name=name: add(name) for name in "abcd"])
    empty.commit()
    assert empty.count("text") == 800 and empty.count("a") == 200


def test_threads_share_hits(empty):
    empty.add_many((str(i), f"all word{i % 10}") for i in range(500))
    empty.commit()
    for _ in range(20):
        hits = empty.search("word3", n=50)
        run_all([lambda: [hit.snippet for hit in hits]] * 4)
        assert all("word3" in hit.snippet for hit in hits)


def test_commits_of_several_threads_do_not_hide_each_other(empty):
    def write(name):
        for i in range(15):
            empty.add(f"{name}-{i}", "text")
            empty.commit()
            assert f"{name}-{i}" in empty

    run_all([lambda name=name: write(name) for name in "abc"])
    assert empty.count("text") == len(empty) == 45


def test_threads_with_an_index_each(tmp_path):
    def make(i):
        with made(((str(k), f"number {k} of {i}") for k in range(1000)), tmp_path / f"{i}.index") as index:
            assert index.count(f"number of {i}") == len(index.ids(f"number of {i}")) == 1000

    run_all([lambda i=i: make(i) for i in range(4)])


def test_other_threads_run_during_a_call(many):
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(1)
            time.sleep(0.001)

    def search():
        many.count(slow_query(400), brute=True)
        over.set()

    run_all([tick, search])
    assert len(ticks) > 10
