#!/usr/bin/env python3
"""circles.py SOURCE_DIR: tests that there are no include cycles, no large folders, and no two files of one name.

A unit is a .c or .cpp file with its headers. It is understood, built and tested with the units that
it includes. Units that include each other in a cycle are effectively one large unit: this test finds
them, prints their files and the includes between them, and exits with 1.

A header belongs to the file that defines the functions it declares, wherever that file is:

- A header belongs to each .c file that defines one of its non-static functions, and to the .c file of
  the same path and name. If there are several, they and the header are one unit.
- A header whose functions are not defined in the product, or that declares none (types, macros,
  inline functions), is a unit of its own. Such headers break cycles: a file that needs only a type
  includes the header of the type, not a header with functions of a module above it.

C is parsed as text, without a preprocessor: all branches of an #if count.
"""
import collections
import os
import re
import sys

PRODUCT = ("core", "corpus", "indexer", "query", "bindings")
# Folders with these names have no code of the product: tests of the bindings, and files that tests
# index.
NOT_PRODUCT = ("tests", "sample")
MOST_FILES = 30
MOST_TESTS = 40


def list_files():
    files = []
    for top in PRODUCT:
        for folder, below, names in os.walk(top):
            below[:] = sorted(name for name in below if name not in NOT_PRODUCT and not name.startswith("."))
            files += [f"{folder}/{name}" for name in sorted(names) if name.endswith((".c", ".cpp", ".h"))]
    return files


def read(file):
    with open(file, encoding="utf-8") as source:
        return source.read()


def outer_text(text):
    """Returns the text without comments, strings, preprocessor lines and the content of braces: each
    outer pair of braces becomes "{}". The braces of extern "C" are removed."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                  lambda match: '""' if match[0][0] == '"' else " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*", "", text, flags=re.M | re.S)
    text = re.sub(r'\bextern\s*""\s*\{', " ", text)
    outer, depth = [], 0
    for character in text:
        if character == "{":
            if depth == 0:
                outer.append("{")
            depth += 1
        elif character == "}":
            depth = max(depth - 1, 0)  # the opening brace of extern "C" was dropped
            if depth == 0:
                outer.append("}")
        elif depth == 0:
            outer.append(character)
    return "".join(outer)


def functions(text):
    """Returns the names of the non-static functions that the text declares, and of those it defines."""
    declared, defined = set(), set()
    for head, end in re.findall(r"([^;{}]*)(;|\{\})", outer_text(text)):
        name = re.search(r"\b(\w+)\s*\(", head)
        if not name or re.search(r"\b(static|typedef)\b|=", head):
            continue
        (declared if end == ";" else defined).add(name[1])
    return declared, defined


def find_includes(file, text, files):
    # An include may be relative to the file, to the source tree, or to core (for public headers).
    places = (os.path.dirname(file), "", "core")
    found = set()
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', text, flags=re.M):
        for place in places:
            path = os.path.normpath(os.path.join(place, name))
            if path in files:
                found.add(path)
                break
    return found


def assign_units(files, texts):
    """Returns for each file a file that represents its unit."""
    unit = {file: file for file in files}

    def first(file):
        while unit[file] != file:
            file = unit[file]
        return file

    declared, defined_in = {}, {}
    for file in files:
        declared[file], defined = functions(texts[file])
        if not file.endswith(".h"):
            for name in defined:
                defined_in.setdefault(name, set()).add(file)
    for header in (file for file in files if file.endswith(".h")):
        stem = header[:-len(".h")]
        owners = {stem + end for end in (".c", ".cpp") if stem + end in unit}
        for name in declared[header]:
            owners |= defined_in.get(name, set())
        for owner in owners:
            unit[first(header)] = first(owner)
    return {file: first(file) for file in files}


def find_circles(includes):
    """Returns the sets of two or more units that reach each other. includes: the included units of each unit."""
    reached = {}
    for unit in includes:
        seen, waiting = set(), [unit]
        while waiting:
            for other in includes[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        reached[unit] = seen
    circles = {frozenset(other for other in reached[unit] if unit in reached[other]) for unit in includes if unit in reached[unit]}
    return sorted(circles, key=min)


def check_circles(files):
    texts = {file: read(file) for file in files}
    unit = assign_units(files, texts)
    includes = {first: set() for first in unit.values()}
    edges = []
    for file in files:
        for other in sorted(find_includes(file, texts[file], unit)):
            if unit[other] != unit[file]:
                includes[unit[file]].add(unit[other])
                edges.append((file, other))
    circles = find_circles(includes)
    for circle in circles:
        print(f"a circle of {len(circle)} units:")
        for first in sorted(circle):
            print("   ", " ".join(file for file in files if unit[file] == first))
            for file, other in edges:
                if unit[file] == first and unit[other] in circle:
                    print(f"        {file} includes {other}")
    return not circles


def check_folders(files):
    counts = collections.Counter(map(os.path.dirname, files))
    large = [folder for folder in counts if counts[folder] > MOST_FILES]
    for folder in large:
        print(f"{folder}: {counts[folder]} files; at most {MOST_FILES} in a folder")
    return not large


def check_test_folders():
    """Checks that no folder of tests has too many files of source code."""
    large = False
    for folder, below, names in os.walk("tests"):
        below[:] = [name for name in below if name not in ("golden", "seeds", "__pycache__")]
        n = sum(name.endswith((".c", ".h", ".py", ".sh", ".sql")) for name in names)
        if n > MOST_TESTS:
            print(f"{folder}: {n} files; at most {MOST_TESTS} in a folder of tests")
            large = True
    return not large


def check_names(files):
    named = {}
    for file in files:
        named.setdefault(os.path.basename(file), []).append(file)
    double = [same for same in named.values() if len(same) > 1]
    for same in double:
        print("files of one name:", " ".join(same))
    return not double


def main():
    os.chdir(sys.argv[1])
    files = list_files()
    checks = [check(files) for check in (check_circles, check_folders, check_names)] + [check_test_folders()]
    sys.exit(0 if all(checks) else 1)


main()
