#!/usr/bin/env python3
"""Random patterns of Rust's regex syntax: bitsift grep against rg's own engine.

    rust_syntax.py BITSIFT RG [ROUNDS [SEED]]

Each round makes a pattern, a text and options, and compares the output and the exit status of the
two programs. Every fourth round also compares a search by an index with a search by --brute. A
difference is printed with its arguments; the exit status is then 1. Differences that bitsift-grep(1)
lists are counted by reason (EXCUSES), and printed to standard error. SEED is printed.
"""

import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

WORDS = ["a", "b", "ab", "k", "K", "s", "S", "ſ", "K", "é", "É", "Σ", "σ", "ς", "ß", "ẞ", "_", "1", "²", "·",
         "a\u0301", "\u0301", "\u200d", "ー", "中", "👍", "ǅ", "ǆ", "İ", "i", "ı", "Ⅷ", "ⓐ", "٣", "‿", "\u00a0", "\u2003", " ", "-", ".",
         "!", "\t", "[", "&", "~", "]", "\\", "x", "foo", "FOO", "µ", "μ", "ͅ", "ι", "\u180e"]
BYTES = [b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x91", b"\xaa", b"\xed\xa0\x80"]
CLASS_CHARS = ["a", "b", "c", "k", "s", "x", "z", "é", "Σ", "ς", "0", "9", "_", " ", "!", "\\]", "\\[", "\\-", "\\^", "&", "~", "中",
               "\\x{3b1}", "\\u00E9", "\\x41", "\\t", ".", "|", "$", "(", "👍", "\\&", "\\~", "İ", "ⓐ"]
ASCII_NAMES = ["alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
               "xdigit", "foo"]
PROPERTIES = ["L", "{L}", "{Lu}", "{Ll}", "{Letter}", "{lowercase_letter}", "{Greek}", "{sc=Greek}", "{scx=Kana}", "{Script:Han}",
              "{gc=Nd}", "{General_Category=Decimal_Number}", "{alphabetic}", "{White_Space}", "{Any}", "{ascii}", "{assigned}", "{isGreek}",
              "{age=3.0}", "{wb=Extend}", "{sb=Lower}", "{gcb=ZWJ}", "{M}", "{Lowercase}", "{upper case}", "{nope}", "{sc=nope}", "{Emoji}",
              "N", "P", "{Pc}", "{^L}", "{LC}", "{Math}", "{XID_Start}", "{Latin}", "{Common}", "{Cn}", "Z", "{C}"]


class Maker:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, items):
        return self.rng.choice(items)

    def chance(self, p):
        return self.rng.random() < p

    def class_item(self, depth):
        n = self.rng.random()
        if n < 0.5:
            return self.pick(CLASS_CHARS)
        if n < 0.66:
            return self.pick(["a-z", "A-Z", "0-9", "a-c", "é-ï", "\\x00-\\x7f", "α-ω", " -~", "!-/", "b-a", "[-a", "\\x61-\\x7A", "\\t-\\r", "k-t"])
        if n < 0.78:
            return "\\" + self.pick("dDwWsS")
        if n < 0.86:
            return "[:%s%s:]" % ("^" if self.chance(0.2) else "", self.pick(ASCII_NAMES))
        if n < 0.9:
            return "\\" + self.pick("pP") + self.pick(PROPERTIES)
        if n < 0.92:
            return "\\" + self.pick(["n", "x00", "b", "xff", "xaa", "r", "B", "h"])
        return self.klass(depth + 1) if depth < 3 else "a"

    def klass(self, depth=0):
        text = "[" + ("^" if self.chance(0.3) else "")
        if self.chance(0.06):
            text += self.pick(["]", "-", "--", "-]"])
        for i in range(self.pick([1, 1, 2, 2, 3, 4])):
            if i and self.chance(0.15):
                text += self.pick(["&&", "--", "~~", "&", "-"])
            text += self.class_item(depth)
        if self.chance(0.05):
            text += "-"
        return text + "]"

    def atom(self, depth):
        n = self.rng.random()
        if n < 0.4:
            c = self.pick(WORDS)
            return "".join("\\" + x if x in ".[]\\&~-!" and (x in ".[]\\" or self.chance(0.5)) else x for x in c)
        if n < 0.48:
            return "."
        if n < 0.58:
            return "\\" + self.pick("dDwWsS")
        if n < 0.7:
            return self.klass()
        if n < 0.75:
            return "\\" + self.pick("pP") + self.pick(PROPERTIES)
        if n < 0.84:
            return self.pick(["^", "$", "\\b", "\\B", "\\<", "\\>", "\\b{start}", "\\b{end}", "\\b{start-half}", "\\b{end-half}", "\\A", "\\z",
                              "\\b", "\\b"])
        if n < 0.87:
            return self.pick(["\\x61", "\\x{e9}", "\\u00e9", "\\u{3c3}", "\\U000003C3", "\\x{1F44D}", "\\t", "\\a", "\\f", "\\v", "\\r",
                              "\\xff", "\\xAA", "\\x80", "\\x20", "\\ ", "\\#", "\\/", "\\%", "\\\"", "\\_", "\\n", "\\x00", "\\0", "\\h", "\\Z",
                              "\\x{110000}", "\\x{d800}", "\\e", "\\<", "\\@", "\\é", "\\b{foo}", "\\u{}", "\\x4"])
        if depth > 3:
            return "a"
        body = self.either(depth + 1)
        if self.chance(0.35):
            return "(" + body + ")"
        if self.chance(0.4):
            return "(?:" + body + ")"
        if self.chance(0.3):
            return self.pick(["(?P<n%d>", "(?<n%d>"]) % self.rng.randrange(4) + body + ")"
        flags = "".join(self.rng.sample("imsRUx", self.pick([1, 1, 2])))
        if self.chance(0.2):
            flags += "u"
        off = "".join(self.rng.sample("imsRUux", self.pick([0, 0, 1])))
        off = "".join(f for f in off if f not in flags or self.chance(0.1))
        if self.chance(0.3):
            flags, off = "", "u" + off.replace("u", "")
        text = "(?" + flags + ("-" + off if off or self.chance(0.03) else "")
        return text + (":" + body + ")" if self.chance(0.6) else ")" + body)

    def quantifier(self):
        n = self.rng.random()
        if n < 0.6:
            return self.pick(["*", "+", "?"])
        if n < 0.85:
            return self.pick(["{2}", "{1,2}", "{0}", "{0,1}", "{2,}", "{1}", "{ 1, 2 }", "{0,0}", "{3}"])
        return self.pick(["*?", "+?", "??", "{1,2}?", "++", "*+", "?+", "{,2}", "{2,1}", "{x}", "{", "**", "{2}{2}", "+*"])

    def sequence(self, depth):
        text = ""
        for _ in range(self.pick([0, 1, 1, 2, 2, 3, 3, 4] if depth else [1, 1, 2, 2, 3, 3, 4, 5])):
            text += self.atom(depth)
            if self.chance(0.25):
                text += self.quantifier()
            if self.chance(0.02):
                text += self.pick([" ", "# c\n", "#", ")", "]", "}", "{", "&&", "~~"])
        return text

    def either(self, depth):
        return "|".join(self.sequence(depth) for _ in range(self.pick([1, 1, 1, 1, 2, 3])))


def make_text(rng):
    lines = []
    for _ in range(rng.randrange(4, 24)):
        line = b""
        for _ in range(rng.randrange(0, 9)):
            line += rng.choice(WORDS).encode() if rng.random() < 0.9 else rng.choice(BYTES)
        lines.append(line)
    # No line begins with a continuation byte: whether rg counts such a byte as a part of the line
    # end before it depends on the lines that rg found before.
    lines = [line.lstrip(bytes(range(0x80, 0xc0))) for line in lines]
    text = b""
    for line in lines:
        text += line + (b"\r\n" if rng.random() < 0.12 else b"\r" if rng.random() < 0.02 else b"\n")
    return text[:-1] if text.endswith(b"\n") and rng.random() < 0.1 else text


def make_options(rng):
    # -U with -v or --crlf, and -r with --json, -U, --crlf or -v are tested elsewhere.
    options = [rng.choice(["-n", "-onb", "--json", "-c", "-ob", "--count-matches", "-nb"])]
    for option, p in (("-i", .2), ("-S", .1), ("-w", .12), ("-x", .08), ("-U", .12), ("--crlf", .1), ("--no-unicode", .1), ("-v", .06),
                      ("-a", .4), ("--multiline-dotall", .05), ("--null-data", .02)):
        if rng.random() < p:
            options.append(option)
    if options[0] in ("-n", "-nb", "-onb", "-ob") and not {"-U", "--crlf", "-v"} & set(options) and rng.random() < 0.1:
        options += ["-r", "<$0|$1|$n1>"]
    for one, other in (("-U", "-v"), ("-U", "--crlf")):
        if one in options and other in options:
            options.remove(other)
    return options


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    lines = [line for line in done.stdout.splitlines(True) if b'"type":"summary"' not in line and b'"type":"end"' not in line]
    return done.returncode, b"".join(lines), done.stderr


class Round:
    """The options, patterns and text of a round, and the results of both programs: exit status,
    standard output, standard error."""

    def __init__(self, bitsift, rg, options, patterns, text):
        self.commands = [rg, "--no-config", "--no-heading"], [bitsift, "grep"]
        self.options, self.patterns, self.text = options, patterns, text
        self.arguments = options + [x for p in patterns for x in ("-e", p)] + ["t"]
        self.theirs, self.ours = self.results()
        self.agrees = self.theirs[:2] == self.ours[:2]

    def results(self, text=None, patterns=None):
        with open("t", "wb") as file:
            file.write(self.text if text is None else text)
        arguments = self.arguments if patterns is None else self.options + [x for p in patterns for x in ("-e", p)] + ["t"]
        return [run(command + arguments) for command in self.commands]

    def agrees_for(self, text=None, patterns=None):
        theirs, ours = self.results(text, patterns)
        return theirs[:2] == ours[:2]

    def uses(self, expression):
        return any(re.search(expression, p) for p in self.patterns)

    def has(self, *options):
        return any(option in self.options for option in options)

    def is_refused(self, *messages):
        """True if only bitsift refuses the pattern, with one of these messages."""
        return self.ours[0] == 2 and self.theirs[0] != 2 and any(message in self.ours[2] for message in messages)

    def lines(self):
        return self.text.splitlines(True)


# The differences that bitsift-grep(1) lists, each with a function that returns whether it explains
# all differences of a round. Most of these functions repeat the round without the cause of the
# difference: then the programs must agree.
EXCUSES = (
    ("PCRE2's limit of time", lambda r: r.is_refused(b"not searched to its end: the pattern takes too long")),
    ("PCRE2's limit of size", lambda r: r.is_refused(b"regular expression is too large")),
    ("a pattern too large for bytes", lambda r: sum(len(re.findall(r"\\[pPDWSw]|\[:?\^", p)) for p in r.patterns) > 2 and
     r.agrees_for(r.text.decode(errors="ignore").encode())),
    ("a group or class across patterns", lambda r: len(r.patterns) > 1 and r.is_refused(b": unclosed", b": unopened") and
     run(r.commands[1] + r.options + ["-e", "|".join("(?:%s)" % p for p in r.patterns), "t"])[:2] == r.theirs[:2]),
    ("a comment at the end", lambda r: b"unclosed group" in r.theirs[2] and r.uses("#") and r.uses(r"\(\?\w*x") and
     r.agrees_for(patterns=[p + "\n" if "#" in p else p for p in r.patterns])),
    ("--crlf, between CR and LF", lambda r: r.has("--crlf") and r.agrees_for(r.text.replace(b"\r\n", b"\n"))),
    (r"--crlf, \z after LF", lambda r: r.has("--crlf") and r.uses(r"\\z") and
     r.agrees_for(r.text.replace(b"\r\n", b"\n"), [p.replace(r"\z", "$") for p in r.patterns])),
    (r"\A or (?-m:^)", lambda r: r.uses(r"\\[Az]|\(\?\w*-\w*m") and (all(map(r.agrees_for, r.lines())) or
     r.agrees_for(patterns=[p.replace(r"\A", "^") for p in r.patterns]))),
    ("a repetition after an empty match, without RE2", lambda r: r.uses(r"\)[*+{]") and
     r.agrees_for(patterns=[re.sub(r"\(\?(\w*)R", r"(?\1", re.sub(r"\\b\{[a-z-]+\}|\\[<>]", "", p)) for p in r.patterns])),
    ("-r, at the end without line end", lambda r: r.has("-r") and not r.text.endswith(b"\n") and r.agrees_for(r.text + b"\n")),
    ("--null-data, at line feeds", lambda r: r.has("--null-data") and (r.has("-x") or r.uses(r"[$^]")) and
     all(r.agrees_for(line.rstrip(b"\r\n")) for line in r.lines())),
)


def differs_from_brute(bitsift, rng, arguments):
    """True if a search of some texts by their index and a search with --brute differ."""
    for folder in ("d", ".bitsift"):
        shutil.rmtree(folder, ignore_errors=True)
    os.mkdir("d")
    for i in range(5):
        with open("d/%d" % i, "wb") as file:
            file.write(make_text(rng))
    subprocess.run([bitsift, "index", "-q", "--grams", "d"], check=True)
    by_index = run([bitsift, "grep", "--no-stat"] + arguments[:-1] + ["d"])
    brute = run([bitsift, "grep", "--brute"] + arguments[:-1] + ["d"])
    return by_index[:2] != brute[:2]


def main():
    bitsift, rg = sys.argv[1:3]
    rounds = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("ROUNDS", 300))
    seed = sys.argv[4] if len(sys.argv) > 4 else os.environ.get("SEED", "1")
    print("seed %s, %d rounds" % (seed, rounds))
    n_other = n_valid = 0
    excused = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(rounds):
            rng = random.Random("%s.%d" % (seed, i))
            text = make_text(rng)
            options = make_options(rng)
            maker = Maker(rng)
            patterns = [maker.either(0) for _ in range(rng.choice([1, 1, 1, 1, 1, 2]))]
            if any("\0" in p for p in patterns):
                continue
            r = Round(bitsift, rg, options, patterns, text)
            n_valid += r.theirs[0] != 2
            if i % 4 == 0 and r.ours[0] != 2 and differs_from_brute(bitsift, rng, r.arguments):
                n_other += 1
                print("--- round %d: other than with --brute: %r" % (i, r.arguments))
            reason = None if r.agrees else next((reason for reason, is_only in EXCUSES if is_only(r)), "")
            if reason:
                excused[reason] += 1
                print("excused: %s: round %d: %r" % (reason, i, r.arguments), file=sys.stderr)
            elif reason == "":
                n_other += 1
                print("--- round %d: %r" % (i, r.arguments))
                print("rg %d, bitsift %d: %s %s" % (r.theirs[0], r.ours[0], r.theirs[2][-200:], r.ours[2][-300:]))
                if os.environ.get("SHOW"):
                    print(r.theirs[1].decode(errors="backslashreplace")[:600])
                    print("ours:")
                    print(r.ours[1].decode(errors="backslashreplace")[:600])
    for reason, n in excused.most_common():
        print("excused %d of %d rounds: %s" % (n, rounds, reason))
    print("%d of %d rounds had a valid pattern; %d differences" % (n_valid, rounds, n_other))
    return n_other > 0


sys.exit(main())
