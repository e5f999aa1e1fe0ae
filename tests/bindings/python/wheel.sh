#!/usr/bin/env bash
# wheel.sh PACKAGE BUILD_DIR PYTHON: tests that pip makes a wheel of the package and installs it,
# that a source distribution can be made, and that the installed package works, without a network
# (`unshare` removes it where permitted). Uses the extension in BUILD_DIR, so that the library is
# not built again. Exit status 77: pip is missing.
set -euo pipefail
package=$1 build=$2 python=$3
"$python" -m pip --version >/dev/null 2>&1 || { echo "skipped: no pip"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
alone=()
! unshare -n true 2>/dev/null || alone=(unshare -n)

say() { # COMMAND...: prints its output only if it fails
    "$@" >"$place/log" 2>&1 || { echo "failed: $*"; cat "$place/log"; exit 1; }
}
export BITSIFT_CMAKE_BUILD=$build PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
say "${alone[@]}" "$python" -m pip wheel --no-deps -w "$place/wheels" "$package"
wheel=$(echo "$place"/wheels/bitsift-*-cp311-abi3-*.whl)
[ -f "$wheel" ] || { echo "no wheel: $(ls "$place/wheels")"; exit 1; }
say "${alone[@]}" "$python" -m pip install --no-deps --target "$place/installed" "$wheel"
[ -f "$place/installed/bitsift/py.typed" ] || { echo "py.typed is not in it"; exit 1; }
cd -- "$place"
PYTHONPATH=$place/installed "$python" - <<'END'
import bitsift
with bitsift.Index.create() as index:
    index.add("a", "a cold harbour")
    index.commit()
    assert index.ids("harbour") == ["a"] and bitsift.__file__.endswith("installed/bitsift/__init__.py")
# Records are parsed by libbitsift-json.so, which the wheel contains.
with open("records.jsonl", "w", encoding="utf-8") as file:
    file.write('{"id": "b", "text": "a warm harbour"}\n')
bitsift.build("records", "records.jsonl")
with bitsift.Index.open("records") as index:
    assert index.ids("warm") == ["b"]
assert "/installed/bitsift/libbitsift-json.so" in open("/proc/self/maps", encoding="utf-8").read()
END
# A source distribution contains the library's sources and no build products.
PYTHONPATH=$package/backend "$python" -c "import bitsift_build; bitsift_build.build_sdist('$place')"
files=$(tar -tzf "$place"/bitsift-*.tar.gz)
for wanted in pyproject.toml PKG-INFO bitsift/__init__.py src/api/py_module.c library/CMakeLists.txt library/core/bitsift/writer.h; do
    grep -q "^bitsift-[0-9.]*/$wanted\$" <<<"$files" || { echo "the source distribution has no $wanted"; exit 1; }
done
! grep -E '\.so$|\.pyc$|/build/' <<<"$files" || exit 1
