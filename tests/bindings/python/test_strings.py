"""Parameters that take a list of strings take a single string as one item, not as letters."""

import pathlib

import bitsift
import pytest
from conftest import raises


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Folders whose names are letters of other names, and a record file."""
    for name in ["a", "b", "ab", "a.txt"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / f"in_{name}.py").write_text(f"needle of {name}\n")
    (tmp_path / "c.jsonl").write_text('{"id":"1","ab":"needle","a":"hay","b":"hay"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


SPELLINGS = [str, lambda name: name.encode(), pathlib.Path, lambda name: [name], lambda name: (name,), lambda name: iter([name]),
             lambda name: (each for each in [pathlib.Path(name)])]


@pytest.mark.parametrize("spell", SPELLINGS)
def test_sources(tree, spell):
    bitsift.build("x.index", spell("ab"), words=True)
    with bitsift.Index.open("x.index") as index:
        assert index.ids("needle") == ["ab/in_ab.py"]
        index.update("a.txt")
        assert index.ids("needle") == ["ab/in_ab.py", "a.txt/in_a.txt.py"]
        index.update(pathlib.Path("a"), b"b")
        assert index.count("needle") == 4
    bitsift.build("x.index", forget=spell("ab"))
    with bitsift.Index.open("x.index") as index:
        assert index.ids("needle") == ["a.txt/in_a.txt.py", "a/in_a.py", "b/in_b.py"]
        raises(TypeError, index.update, ["ab"])
    for nothing in ["/nonesuch/ab", pathlib.Path("ab/nonesuch")]:
        raises(bitsift.NotFoundError, bitsift.build, "y.index", nothing)
    assert not (tree / "y.index").exists()
    bitsift.build("x.index", None)
    bitsift.build("x.index", [])
    for wrong in [3, [3], [None], {"ab": 1.5}.items()]:
        raises(TypeError, bitsift.build, "z.index", wrong)


@pytest.mark.parametrize("spell", SPELLINGS)
def test_lists_of_a_build(tree, spell):
    bitsift.build("x.index", ["ab", "a", "b"], words=True, globs=spell("in_ab*"))
    with bitsift.Index.open("x.index") as index:
        assert index.ids("needle") == ["ab/in_ab.py"]
    bitsift.build("y.index", "c.jsonl", text_fields=spell("ab"))
    with bitsift.Index.open("y.index") as index:
        assert index.count("needle") == 1 and index.count("hay") == 0
    (tree / "b" / "r.data").write_text('{"id":"7","ab":"needle"}\n')
    bitsift.build("z.index", "b", words=True, records=spell("*.data"))
    with bitsift.Index.open("z.index") as index:
        assert index.ids("needle") == ["b/in_b.py", "b/r.data#7"]
        assert bitsift.delete("z.index", ids=spell("b/r.data#7")).deleted == 1


@pytest.mark.parametrize("spell", SPELLINGS)
def test_lists_of_a_search(tree, spell):
    bitsift.build("x.index", ["ab", "a", "b", "a.txt"], words=True, grams=True)
    with bitsift.Index.open("x.index") as index:
        for options, found in [({"globs": "in_ab*"}, 1), ({"places": "ab"}, 1), ({"types": "py"}, 4), ({"not_types": "py"}, 0)]:
            for ask in [lambda **options: len(index.search("needle", **options)), lambda **options: index.count("needle", **options),
                        lambda **options: len(index.ids("needle", **options))]:
                assert ask(**{name: spell(value) for name, value in options.items()}) == found
        assert index.search("needle", places=spell("ab"))[0].snippet
        assert len(list(index.grep("needle", pathlib.Path("ab")))) == 1
    assert bitsift.Query("ab:needle", fields=spell("ab")).match({"ab": "needle", "b": "x"})
    assert not bitsift.Query("ab:needle", fields=spell("ab")).match({"a": "needle", "b": "needle"})


@pytest.mark.parametrize("spell", SPELLINGS)
def test_lists_of_grep(tree, spell):
    def found(pattern="needle", *paths, **options):
        return sorted(line.path for line in bitsift.grep(pattern, *paths, **{name: spell(value) for name, value in options.items()}))

    (tree / "ignored").write_text("in_ab.py\n")
    assert found(spell("of ab"), "ab", "b") == ["ab/in_ab.py"]
    assert found("needle", "ab", b"b", pathlib.Path("a")) == ["a/in_a.py", "ab/in_ab.py", "b/in_b.py"]
    assert found(globs="in_ab*") == ["ab/in_ab.py"] == found(iglobs="IN_AB*")
    assert found("needle", "ab", types="py") == ["ab/in_ab.py"] and found("needle", "ab", not_types="py") == []
    assert found("needle", "ab", type_adds="ab:*.ab", types="ab") == []
    assert found("needle", "ab", "b", ands="of ab") == ["ab/in_ab.py"]
    assert found("needle", "ab", "b", nots="of ab") == ["b/in_b.py"]
    assert found("needle", "ab", "b", ignore_files="ignored") == ["b/in_b.py"]


def test_invalid_lists_of_documents():
    with bitsift.Index.create() as index:
        for wrong in ["ab", b"ab", ["ab"], {"id": "x"}, [("a", "b", "c")], 3]:
            raises(TypeError, index.add_many, wrong)
        index.rollback()
