"""The build backend (PEP 517) of the package bitsift: CMake builds the extension, zipfile the
wheel. Nothing is downloaded.

Environment variables: BITSIFT_CMAKE_BUILD is a build tree of the project to use instead of a new
one. BITSIFT_CMAKE_ARGS are additional arguments for CMake, split as by a shell.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
# A source distribution contains the library's sources; otherwise this folder is in their tree.
ROOT = HERE / "library" if (HERE / "library").is_dir() else HERE.parent.parent
LIBRARY = ["CMakeLists.txt", "LICENSE", "cmake", "core", "corpus", "indexer", "query", "bindings/CMakeLists.txt",
           "docs/man", "docs/completions"]
PACKAGE = ["__init__.py", "__init__.pyi", "_files.py", "_index.py", "_matrix.py", "_results.py", "py.typed"]


def _version():
    header = (ROOT / "core" / "bitsift.h").read_text(encoding="utf-8")
    return re.search(r'^#define BS_VERSION +"([0-9.]+)"', header, re.MULTILINE).group(1)


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: bitsift\nVersion: {_version()}\n"
        "Summary: Exact full-text search and indexed grep\nRequires-Python: >=3.11\n"
        "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text(encoding="utf-8")
    )


def _tag():
    """The tag of the stable ABI, so that later versions of Python accept the wheel."""
    return "cp311-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _wheel():
    return f"Wheel-Version: 1.0\nGenerator: bitsift_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"


def _info():
    return f"bitsift-{_version()}.dist-info"


def _run(*arguments):
    # pip shows a backend's standard error only after a failure.
    subprocess.run([str(argument) for argument in arguments], check=True, stdout=sys.stderr)


def _build(place):
    """Builds the extension, in a new build tree unless one is given. Returns its file and the
    libraries that it loads."""
    given = os.environ.get("BITSIFT_CMAKE_BUILD")
    build = pathlib.Path(given or place).resolve()
    if not given:
        _run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBITSIFT_BUILD_TESTS=OFF",
             "-DBITSIFT_BUILD_BENCH=OFF", "-DBITSIFT_INSTALL=OFF", "-DBITSIFT_SHARED=OFF", "-DBITSIFT_STATIC=ON",
             "-DBITSIFT_BUILD_BINDINGS=ON", f"-DBITSIFT_PYTHON_FOLDER={HERE}", f"-DPython3_EXECUTABLE={sys.executable}",
             *shlex.split(os.environ.get("BITSIFT_CMAKE_ARGS", "")))
    _run("cmake", "--build", build, "--target", "bitsift_python", "-j", len(os.sched_getaffinity(0)))
    found = sorted(build.glob("**/bitsift/_bitsift.abi3.so"))
    if not found:
        raise RuntimeError("the extension was not built: are Python's headers there (Debian: python3-dev)?")
    return [found[0], *found[0].parent.glob("libbitsift-*.so")]


def _write_wheel(directory, files):
    """Writes a wheel of the files and the metadata, and returns its file name. files: pairs of the
    name in the wheel and the bytes. The wheel depends only on the files, not on the time."""
    path = pathlib.Path(directory) / f"bitsift-{_version()}-{_tag()}.whl"
    files = [*files, (f"{_info()}/LICENSE", (ROOT / "LICENSE").read_bytes()),
             (f"{_info()}/METADATA", _metadata().encode()), (f"{_info()}/WHEEL", _wheel().encode())]
    record = ""
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files.append((f"{_info()}/RECORD", f"{record}{_info()}/RECORD,,\n".encode()))
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return path.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory(prefix="bitsift-wheel-") as place:
        files = [HERE / "bitsift" / name for name in PACKAGE] + _build(place)
        return _write_wheel(wheel_directory, [(f"bitsift/{file.name}", file.read_bytes()) for file in files])


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the extension in the package's source folder and makes a wheel that refers to it."""
    with tempfile.TemporaryDirectory(prefix="bitsift-wheel-") as place:
        for file in _build(place):
            (HERE / "bitsift" / file.name).write_bytes(file.read_bytes())
    return _write_wheel(wheel_directory, [("bitsift.pth", f"{HERE}\n".encode())])


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory) / _info()
    info.mkdir()
    (info / "METADATA").write_text(_metadata(), encoding="utf-8")
    (info / "WHEEL").write_text(_wheel(), encoding="utf-8")
    return info.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    """Makes an archive of the package and, in library/, of the library's sources."""
    top = f"bitsift-{_version()}"
    left_out = re.compile(r"/(__pycache__|build)(/|$)|\.(so|pyc)$")

    def choose(entry):
        return None if left_out.search(entry.name) else entry

    with tarfile.open(pathlib.Path(sdist_directory) / f"{top}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in ["pyproject.toml", "README.md", "CMakeLists.txt", "backend", "bitsift", "src"]:
            archive.add(HERE / name, f"{top}/{name}", filter=choose)
        for name in LIBRARY:
            archive.add(ROOT / name, f"{top}/library/{name}", filter=choose)
        with tempfile.TemporaryFile() as file:
            info = tarfile.TarInfo(f"{top}/PKG-INFO")
            info.size = file.write(_metadata().encode())
            file.seek(0)
            archive.addfile(info, file)
    return f"{top}.tar.gz"
