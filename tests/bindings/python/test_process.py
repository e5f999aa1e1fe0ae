"""The extension in forks, subinterpreters, signal handlers, and at the end of a process."""

import os
import signal
import subprocess
import sys
import textwrap

import bitsift
import pytest


def run(code, *arguments, **options):
    """Runs code in a new Python process."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code), *arguments], capture_output=True, text=True, **options)


def forked(function):
    """Calls the function in a forked child and returns the exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_child_cannot_roll_back(tmp_path):
    """A forked child cannot touch its parent's uncommitted changes, and can read the index."""
    path = tmp_path / "x.index"
    with bitsift.Index.create(path, memory_bytes=1) as index:
        index.add("1", "first")
        index.commit()
        index.add_many((str(i), " ".join(f"w{i * k % 9991}" for k in range(200))) for i in range(6000))
        files = sorted(os.listdir(path))

        def child():
            assert index.ids("first") == ["1"]
            for change in [lambda: index.add("2", "second"), index.commit, index.rollback, lambda: index.delete("1")]:
                with pytest.raises(RuntimeError, match="process"):
                    change()
            index.close()

        assert forked(child) == 0
        assert sorted(os.listdir(path)) == files
        with bitsift.Index.open(path) as other, pytest.raises(bitsift.BusyError):
            other.add("2", "second")
        index.commit()
        assert len(index) == 6000  # document 1 was replaced
    assert bitsift.check(path).docs == 6000


def test_a_forked_child_does_not_end_a_grep(tmp_path):
    (tmp_path / "x").write_text("line\n" * 200000)
    lines = bitsift.grep("line", tmp_path)
    assert next(lines).number == 1
    assert forked(lines.close) == 0
    assert sum(1 for _ in lines) == 199999


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="another interpreter under sanitizers")
def test_subinterpreters_are_refused():
    done = run("""
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        import bitsift
        one = interpreters.create()
        failure = None
        try:
            failure = interpreters.run_string(one, "import bitsift")
        except Exception as error:
            failure = error
        assert failure and "subinterpreter" in str(failure), failure
        interpreters.destroy(one)
        assert bitsift.Index.create().count("x") == 0
    """)
    assert done.returncode == 0, done.stderr


def test_the_module_may_be_imported_again():
    done = run("""
        import sys, bitsift
        index = bitsift.Index.create()
        for name in [name for name in sys.modules if name.startswith("bitsift")]:
            del sys.modules[name]
        import bitsift as again
        assert again.InvalidError is bitsift.InvalidError and again.Index.open(memory=index.memory).count("x") == 0
    """)
    assert done.returncode == 0, done.stderr


def test_the_end_of_python(tmp_path):
    """Objects that are still open at the end of a process do no harm."""
    (tmp_path / "x").write_text("line\n" * 1000000)
    done = run("""
        import sys, bitsift
        index = bitsift.Index.create(sys.argv[1] + "/index", log="x")
        index.add("1", "not committed")
        lines = bitsift.grep("line", sys.argv[1] + "/x")
        hits = index.search("x")
        iterator = iter(lines)
        print(next(iterator).number)
    """, str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


@pytest.mark.parametrize("what", ["build", "search", "grep", "commit"])
def test_interrupts_end_long_calls(tmp_path, what):
    for i in range(40):
        (tmp_path / f"{i}.txt").write_text("".join(f"{k * i % 9973} word{k} aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n" for k in range(8000)))
    if what == "search":
        bitsift.build(tmp_path / "searched", [tmp_path], words=True)
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent("""
        import sys, bitsift
        what, folder = sys.argv[1:]
        print("ready", flush=True)
        try:
            for i in range(1000):
                if what == "build":
                    bitsift.build(folder + "/x.index", [folder + "/"], rebuild=True, threads=2)
                elif what == "search":
                    bitsift.Index.open(folder + "/searched").count('"word1 word3"~5 OR "word7 word5"~5', brute=True)
                elif what == "grep":
                    assert not list(bitsift.grep("(a*)*\\\\1c", folder, deadline=100))
                else:
                    with bitsift.Index.create() as index:
                        index.add_many((str(k), open(f"{folder}/{k % 40}.txt").read()) for k in range(200))
                        index.commit()
        except KeyboardInterrupt:
            sys.exit(77)
    """), what, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    try:
        child.wait(0.7)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
    assert child.wait(10) == 77
    child.stdout.close()
