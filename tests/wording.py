#!/usr/bin/env python3
"""Keeps the wording of messages in one file, separate from the transcripts of tests, which hold the behaviour.

A line of a transcript such as "! bitsift: <not-in-index-meant> nihgt | night" contains a message's key and arguments.
wording.txt has a line for each message, "KEY<TAB>TEMPLATE". {} is an argument; {2}, {1} are arguments in another order
than in the transcripts. A key stays when the wording changes. Lines that match no template are in transcripts verbatim.

  wording.py compare EXPECTED ACTUAL   prints the differences between the transcript EXPECTED and ACTUAL; exit status 1
                                       if there are any. UPDATE=1 writes ACTUAL to EXPECTED as a transcript. New messages
                                       get templates; correct their arguments by hand if needed, and update again.
  wording.py reword [CTEST OPTION...]  runs the tests with transcripts (ctest --preset dev -L transcript) and adopts the
                                       new wording of their messages. If anything else changed, prints it and changes
                                       nothing.
  wording.py tidy                      removes the templates that no transcript uses, and sorts the others
"""
import difflib
import fcntl
import functools
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Prefixes of messages. Only a message of bitsift (group 1) gets a new template automatically; other
# lines use the templates that exist.
MARK = re.compile(r"(?: *! )?(?:(bitsift(?:-bench)?: )|(?:ERROR|HINT|NOTICE|WARNING|DETAIL):  "
                  r"|(?:Runtime|Parse) error near line \d+: |Error: stepping, )?")
KEYED = re.compile(r"<([a-z0-9-]+)>(?: (.*))?$", re.S)
HOLE = re.compile(r"\{(\d*)\}")
SEPARATOR = " | "
# Parts of a new message that are considered arguments.
ARGUMENT = re.compile(r"""^[^ :]+(?=: )|"[^"]*"|'[^']*'|(?<![\w`-])--[a-z][\w-]*|[^\s`]*/[^\s,;:`]*|(?<!\w)\d[\d,.]*(?: [KMG]?i?B\b)?""")
SMALL_WORDS = set("a an and are as at be been by for has if in is it its of on or than that the there this to was were with".split())


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read().split("\n")


def write(file, lines):
    file.seek(0)
    file.truncate()
    file.write("\n".join(lines))


class Wording:
    """The templates by key. `with` locks wording.txt and writes it if the templates changed."""

    def __init__(self, folder=FOLDER):
        self.folder = folder
        self.path = os.path.join(folder, "wording.txt")
        self.templates = dict(line.split("\t", 1) for line in read(self.path) if line)

    def __enter__(self):
        self.file = open(self.path, "r+", encoding="utf-8", errors="surrogateescape", newline="")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.__init__(self.folder)
        self.before = dict(self.templates)
        return self

    def __exit__(self, kind, *_):
        if kind is None and sorted(self.templates.items()) != list(self.before.items()):
            write(self.file, [f"{key}\t{template}" for key, template in sorted(self.templates.items())] + [""])
        self.file.close()

    def transcripts(self):
        return glob.glob(os.path.join(glob.escape(self.folder), "**", "*.exact"), recursive=True)

    def keyed(self, line):
        """Returns (prefix, key, arguments) of a line of a transcript; None: it has no known key."""
        mark = MARK.match(line)[0]
        found = KEYED.match(line, len(mark))
        if not found or found[1] not in self.templates:
            return None
        return mark, found[1], found[2].split(SEPARATOR) if found[2] else []

    def decode(self, line):
        keyed = self.keyed(line)
        return keyed[0] + fill(self.templates[keyed[1]], keyed[2]) if keyed else line

    def encode(self, line):
        """Returns the line as in a transcript. The template with the shortest arguments is used."""
        if line.startswith("# "):
            return line  # a heading of a script
        mark = MARK.match(line)[0]
        found = []
        for key, template in self.templates.items():
            arguments = match(template, line[len(mark):])
            if arguments is not None:
                found.append((sum(map(len, arguments)), key, arguments))
        for _, key, arguments in sorted(found):
            encoded = " ".join([f"{mark}<{key}>", SEPARATOR.join(arguments)]) if arguments else f"{mark}<{key}>"
            if self.decode(encoded) == line:
                return encoded
        return line

    def add(self, line):
        """Makes a template for a message that has none."""
        mark = MARK.match(line)
        text = line[mark.end():]
        if mark[1] and re.search("[a-z]{3}", text) and self.encode(line) == line:
            template = ARGUMENT.sub("{}", text)
            self.templates[self.new_key(template)] = template

    def new_key(self, template):
        words = [word for word in re.findall(r"[a-z]{2,}", HOLE.sub(" ", template).lower()) if word not in SMALL_WORDS]
        key = name = "-".join(words[:4]) or "message"
        for number in itertools.count(2):
            if key not in self.templates:
                return key
            key = f"{name}-{number}"

    def tidy(self):
        used = {keyed[1] for path in self.transcripts() for keyed in map(self.keyed, read(path)) if keyed}
        self.templates = {key: template for key, template in self.templates.items() if key in used}


def fill(template, arguments):
    left = iter(arguments)
    try:
        return HOLE.sub(lambda hole: arguments[int(hole[1]) - 1] if hole[1] else next(left), template)
    except (IndexError, StopIteration):
        return f"{template} takes other arguments than {arguments}"


@functools.cache
def pattern(template):
    return re.compile("(.+?)".join(map(re.escape, HOLE.split(template)[::2])), re.S)


def match(template, text):
    """Returns the arguments with which the template produces the text, or None."""
    found = pattern(template).fullmatch(text)
    if not found:
        return None
    numbers = [int(number or place) for place, number in enumerate(HOLE.findall(template), 1)]
    return [argument for _, argument in sorted(zip(numbers, found.groups()))]


def cuts(text, arguments):
    """Yields at most 5,000 templates that produce the text with these arguments, leftmost first."""
    def places(spans):
        if len(spans) == len(arguments):
            yield spans
            return
        argument = arguments[len(spans)]
        for found in re.finditer(f"(?={re.escape(argument)})", text):
            start, stop = found.start(), found.start() + len(argument)
            inside = any(0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() for at in (start, stop))
            if not inside and all(stop <= a or b <= start for a, b in spans):
                yield from places(spans + [(start, stop)])

    for spans in itertools.islice(places([]), 5000):
        order = sorted(range(len(spans)), key=lambda at: spans[at])
        in_order = order == list(range(len(spans)))
        template, end = "", 0
        for at in order:
            template += text[end:spans[at][0]] + ("{}" if in_order else f"{{{at + 1}}}")
            end = spans[at][1]
        yield template + text[end:]


def neighbours(template):
    """Returns the pairs of adjacent words of the template, where an argument counts as a word."""
    numbers = itertools.count(1)
    words = re.findall(r"\{\d+\}|\w+", HOLE.sub(lambda hole: hole[0] if hole[1] else f"{{{next(numbers)}}}", template))
    return set(itertools.pairwise(words))


def compare(wording, expected, actual, folder=None):
    """Prints differences; true if nothing differs. With a folder, writes the messages there."""
    told, said = read(expected), read(actual)
    shown = [wording.decode(line) for line in told]
    notes = []
    if folder and len(told) == len(said):
        for at, (line, text) in enumerate(zip(told, said)):
            mark, key, arguments = wording.keyed(line) or ("", None, [])
            if not key or not text.startswith(mark):
                continue
            message = text[len(mark):]
            # The same words with exchanged arguments are a change of behaviour.
            is_exchanged = sorted(match(wording.templates[key], message) or []) == sorted(arguments) != []
            if text == shown[at] or not is_exchanged and all(argument in message for argument in arguments):
                notes.append((os.path.basename(expected), key, arguments, message))
                shown[at] = text
    if shown != said:
        print("\n".join(difflib.unified_diff(shown, said, expected, actual, lineterm="")))
        return False
    if folder:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(notes, file)
    return True


def update(expected, actual, folder=FOLDER):
    with Wording(folder) as wording:
        said = read(actual)
        for line in said:
            wording.add(line)
        with open(expected, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            write(file, map(wording.encode, said))


def learn(wording, notes):
    """Changes the templates to the wordings in the notes. Returns the problems, as lines."""
    by_key, problems = {}, []
    for test, key, arguments, text in notes:
        by_key.setdefault(key, {})[text] = test, arguments
    for key, texts in by_key.items():
        old = wording.templates[key]
        new = next((text for text, (_, arguments) in texts.items() if fill(old, arguments) != text), None)
        if new is None:
            continue
        possible, other = list(cuts(new, texts[new][1])), new
        for text, (_, arguments) in texts.items():
            left = [template for template in possible if fill(template, arguments) == text]
            possible, other = (left, other) if left else (possible, text)
        if other == new:
            # Several templates fit if arguments are equal: take the one most like the old one.
            wording.templates[key] = max(possible, key=lambda template: len(neighbours(template) & neighbours(old)))
        else:
            problems += [f"<{key}> has more than one wording now:"] + [f"  {texts[text][0]}: {text}" for text in (new, other)]
    return problems


def reword(options):
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.call(["ctest", "--output-on-failure", *(options or ["--preset", "dev", "-L", "transcript"])],
                                 env=os.environ | {"WORDING": folder})
        if status != 0:
            return "nothing is changed, as tests failed; where more than wording was meant to change, run them with UPDATE=1 first"
        notes = [note for path in glob.glob(os.path.join(folder, "*")) for note in json.load(open(path))]
        with Wording() as wording:
            problems = learn(wording, notes)
            if problems:
                wording.templates = wording.before
                return "\n".join(problems + ["nothing is changed; run one of the tests with UPDATE=1"])
            for key, template in wording.templates.items():
                if template != wording.before[key]:
                    print(f"{key}\n  - {wording.before[key]}\n  + {template}")
            wording.tidy()
    return 0


def main(command=None, *arguments):
    sys.stdout.reconfigure(errors="surrogateescape")
    if command == "compare" and len(arguments) == 2:
        if os.environ.get("UPDATE"):
            return update(*arguments)
        return 0 if compare(Wording(), *arguments, os.environ.get("WORDING")) else 1
    if command == "reword":
        return reword(arguments)
    if command == "tidy" and not arguments:
        with Wording() as wording:
            wording.tidy()
        return 0
    return __doc__


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
