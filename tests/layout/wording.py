#!/usr/bin/env python3
"""wording.py SOURCE_DIR: tests that wording.txt and the transcripts match, and tests tests/wording.py."""
import contextlib
import io
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[0] = os.path.join(sys.argv[1], "tests")
import wording as tool  # noqa: E402

TEMPLATES = """bad-range\t{}: not a number from {} to {}
changed\t{}: changed since it was indexed
indexed-n\tindexed {} documents, {}: {} new, {} left
no-word\t{} is not in the index; did you mean {}?
"""
TRANSCRIPT = """$ bitsift query --batch list
! bitsift: <changed> a.txt
! bitsift: <changed> since it was/b.txt
! bitsift: <no-word> nihgt | night
! <indexed-n> 2 | 3 B | 0 | 0
! bitsift: <bad-range> -n 7 | 1 | 7
exit status 2
"""
ACTUAL = """$ bitsift query --batch list
! bitsift: a.txt: changed since it was indexed
! bitsift: since it was/b.txt: changed since it was indexed
! bitsift: nihgt is not in the index; did you mean night?
! indexed 2 documents, 3 B: 0 new, 0 left
! bitsift: -n 7: not a number from 1 to 7
exit status 2
"""
REWORDED = ACTUAL.replace(": changed since it was indexed", ": is newer than the index").replace(
    "nihgt is not in the index; did you mean night?", "did you mean night instead of nihgt?").replace(
    "indexed 2 documents, 3 B: 0 new, 0 left", "3 B indexed (2): 0 left, 0 new")


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path:
        def put(name, text):
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write(text)
            return file.name
        put("wording.txt", TEMPLATES)
        yield path, put


def passes(actual, notes=None):
    """Returns whether a test with this output passes. Appends its notes for reword to `notes`."""
    with folder() as (path, put), tempfile.TemporaryDirectory() as noted, contextlib.redirect_stdout(io.StringIO()):
        passed = tool.compare(tool.Wording(path), put("t.exact", TRANSCRIPT), put("actual", actual), noted if notes is not None else None)
        for name in os.listdir(noted):
            with open(os.path.join(noted, name), encoding="utf-8") as file:
                notes += json.load(file)
        return passed


def learned(*outputs):
    with folder() as (path, _):
        wording, notes = tool.Wording(path), []
        assert all([passes(output, notes) for output in outputs])
        return tool.learn(wording, notes), wording.templates


def main():
    real = tool.Wording()
    used = {keyed[1] for path in real.transcripts() for keyed in map(real.keyed, tool.read(path)) if keyed}
    unused = sorted(real.templates.keys() - used)
    assert not unused, f"no transcript has {unused}: run tests/wording.py tidy"
    lines = [line for line in tool.read(real.path) if line]
    assert len(lines) == len(real.templates) and lines == sorted(lines, key=lambda line: line.split("\t")[0]), "wording.txt is not sorted"

    assert passes(ACTUAL) and not passes(REWORDED)
    for behaviour in (REWORDED.replace("night", "nicht"), REWORDED.replace("status 2", "status 1"), REWORDED + "more\n",
                      REWORDED.replace("(2)", "(3)"), REWORDED.replace("! 3 B", "3 B"),
                      ACTUAL.replace("nihgt", "x").replace("night", "nihgt").replace("x", "night")):
        assert not passes(behaviour, []), behaviour
    problems, templates = learned(REWORDED, REWORDED)
    assert not problems and templates == {"bad-range": "{}: not a number from {} to {}", "changed": "{}: is newer than the index",
                                          "indexed-n": "{2} indexed ({1}): {4} left, {3} new", "no-word": "did you mean {2} instead of {1}?"}, templates
    problems, templates = learned(ACTUAL, REWORDED)
    assert len(problems) == 9 and problems[0] == "<changed> has more than one wording now:", problems

    with folder() as (path, put):
        said = put("actual", ACTUAL + "! bitsift: box/a.txt: 17 lines are damaged | \nbitsift: ...\n")
        tool.update(put("t.exact", ""), said, path)
        assert "\n".join(tool.read(os.path.join(path, "t.exact"))) == \
            TRANSCRIPT + "! bitsift: <lines-damaged> box/a.txt | 17\nbitsift: ...\n", tool.read(os.path.join(path, "t.exact"))
        assert tool.Wording(path).templates["lines-damaged"] == "{}: {} lines are damaged | "
        assert tool.compare(tool.Wording(path), os.path.join(path, "t.exact"), said)


main()
