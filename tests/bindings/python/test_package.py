"""The package: its README, its docstrings, its use of memory."""

import ctypes
import gc
import inspect
import logging
import os
import pathlib
import re
import subprocess
import sys

import bitsift
import pytest
from conftest import made

README = pathlib.Path(__file__).resolve().parents[3] / "bindings/python/README.md"


def test_the_example_of_the_readme(capsys):
    text = README.read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
    wanted = re.search(r"^```\n\n((?:    .*\n)+)", text, re.MULTILINE).group(1)
    assert code.count("\n") <= 12
    exec(code, {})
    assert capsys.readouterr().out == re.sub("^    ", "", wanted, flags=re.MULTILINE)


def test_the_example_of_the_main_readme(tmp_path, monkeypatch, capsys):
    text = (README.parents[2] / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made([("a", "the cold harbour"), ("b", "a warm harbour")], "sample.index").close()
    exec(re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1), {})
    assert re.fullmatch(r"[0-9.]+  a\n", capsys.readouterr().out)


def example(heading, **names):
    """Runs the code below a heading of the README and returns the names that it defines."""
    text = README.read_text(encoding="utf-8")
    code = re.search(rf"^## {heading}\n.*?^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
    names["bitsift"] = bitsift
    exec(code, names)
    return names


def test_the_example_of_the_matrix(folder):
    pytest.importorskip("numpy")
    made(((str(i), f"false positives {i} " + " ".join(f"w{i % d}" for d in range(2, 30))) for i in range(3000)), "x.index").close()
    names = example("The matrix")
    assert len(names["documents"]) > 0 and 0 < names["bits"].mean() < 0.7


def test_the_example_of_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.c").write_text("int one(void)\n{\n\treturn 1; // TODO two\n}\n")
    (tmp_path / "folder" / "b.txt").write_text("a draft")
    assert example("Files")["report"].docs == 2
    assert "folder/a.c:3: TODO two (1, 'int one(void)')\n" in capsys.readouterr().out
    with bitsift.Index.open("x.index") as index:
        assert index.ids("draft OR two") == ["folder/a.c"]


def test_the_example_of_limits(index):
    assert len(example("What ends a call", index=index)["hits"]) == 0


def test_the_example_of_queries(capsys):
    example("A query apart from an index")
    assert capsys.readouterr().out == "text 2 5 18 26\n"


def test_the_example_of_parts():
    parts = [made((f"{n}-{i}", "a cold harbour " + "far away " * (n + 2 * i)) for i in range(4)) for n in range(2)]
    names = example("Several indexes ranked as one", parts=parts)
    assert [hit.id for hit in names["best"]] == ["0-0", "1-0", "0-1", "1-1", "0-2", "1-2", "0-3", "1-3"]
    assert names["score"] > names["best"][1].score


def test_the_example_of_words(capsys):
    example("Words and logs of one's own")
    assert capsys.readouterr().out == "['1']\n"


def test_everything_has_a_docstring():
    for name in bitsift.__all__:
        thing = getattr(bitsift, name)
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)) and thing.__module__ == "bitsift":
                    assert value.__doc__, f"{name}.{member}"


def test_stubs_are_complete():
    stubs = "\n".join((pathlib.Path(bitsift.__file__).parent / file).read_text(encoding="utf-8") for file in ["__init__.pyi", "_results.py"])
    for name in bitsift.__all__:
        assert re.search(rf"^(class|def) {name}\b", stubs, re.MULTILINE), name
        thing = getattr(bitsift, name)
        if inspect.isclass(thing) and thing.__module__ == "bitsift" and not issubclass(thing, Exception):
            body = re.search(rf"^class {name}\b.*?(?=^\S|\Z)", stubs, re.MULTILINE | re.DOTALL).group(0)
            for member in vars(thing):
                if not member.startswith("_") and not issubclass(thing, tuple):
                    assert re.search(rf"\b{member}\b", body), f"{name}.{member}"
    assert (pathlib.Path(bitsift.__file__).parent / "py.typed").exists()


def test_stubs_pass_mypy(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir", str(tmp_path),
                           str(pathlib.Path(bitsift.__file__).parent / "__init__.pyi")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def used_bytes():
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    info = mallinfo()
    return info.uordblks + info.hblkhd


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="another malloc")
def test_repeated_calls_do_not_leak(folder):

    silent = logging.getLogger("silent")
    silent.addHandler(logging.NullHandler())
    silent.propagate = False
    silent.setLevel(logging.DEBUG)

    def everything():
        with bitsift.Index.create(weights={"title": 2}) as index:
            for i in range(20):
                index.add(str(i), {"title": f"title {i}", "tags": ["a", {"b": i}], "text": "cats and dogs"})
            index.commit()
            for hit in index.search("cats", n=5):
                assert hit.snippet and hit.passages
            assert len(index.ids("dogs")) == 20 and index.document("3")
            whole = index.statistics("cats dogs") + index.statistics("cats dogs")
            query = index.query("cats dogs")
            assert query.match("cats, dogs").places and query.score("cats dogs", whole) > 0 and not query.match({"a": "none"})
            assert bitsift.Statistics(**whole.parts()).words and index.search("cats", statistics=index.statistics("cats"), explain=True)
            assert index.memory.copy().files()
            for wrong in [lambda: bitsift.Query("+++"), lambda: query.match(3), lambda: index.search("cats", nonsense=1),
                          lambda: index.search("cats", globs=[None]), lambda: bitsift.Index.create(analyzer=3), lambda: index.add("x", {"a": {3: 4}}),
                          lambda: bitsift.Statistics(words={"": 1}), lambda: bitsift.delete(None, query="x"), lambda: index.add_many([{"id": None}]),
                          lambda: bitsift.grep("x", sort="y"), lambda: list(bitsift.grep("(")), lambda: index.search("+++"), lambda: index.document("x"), lambda: index.add("x", 3)]:
                with pytest.raises((bitsift.Error, TypeError, ValueError)):
                    wrong()
            matrix = index.matrix
            matrix.candidates("cats")
            for shard in matrix.segments[0].shards:
                memoryview(shard.documents()), memoryview(shard.exact_columns.view()), shard.columns_of("cats")
            list(matrix.segments[0].terms())
        with made([("1", "y")], analyzer=bitsift.Analyzer("x", lambda text: [("x", 0, 1)]), log=silent, store=False, texts=lambda id: "y") as index:
            assert index.count("y") == 1 and index.search("y")[0].snippet
        with bitsift.Index.open("built.index") as index:
            assert list(index.grep("filter", "files", "built.index", "records.jsonl", enclosing=True))
            assert next(index.grep("filter", "files")).text
            assert list(bitsift.grep("filter", "files", files=True))
            index.stats()
        assert bitsift.delete("built.index", query="cat", dry_run=True).documents
        assert bitsift.check("built.index", progress=lambda *_: None).docs

    # Caches fill up once; a leak takes memory in each of these six measurements.
    grown = []
    for _ in range(6):
        before = used_bytes()
        for _ in range(20):
            everything()
        grown.append((used_bytes() - before) / 20)
    assert min(grown[1:]) < 500, grown
