#!/usr/bin/env python3
"""Random patterns of Rust's regex syntax: bitsift grep against rg's own engine.

    rust_syntax.py BITSIFT RG [ROUNDS [SEED]]

Each round makes a pattern, a text and options, and compares the output and the exit status of the
two programs. Every fourth round also compares a search by an index with a search by --brute. A
difference is printed with its arguments; the exit status is then 1. SEED is printed.
"""

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
    # With -r, rg leaves out an empty match at the end of a last line without line end.
    return text if text.endswith(b"\n") else text + b"\n"


def make_options(rng):
    # -U with -v or --crlf, and -r with --json, -U, --crlf or -v are tested elsewhere.
    options = [rng.choice(["-n", "-onb", "--json", "-c", "-ob", "--count-matches", "-nb"])]
    for option, p in (("-i", .2), ("-S", .1), ("-w", .12), ("-x", .08), ("-U", .12), ("--crlf", .1), ("--no-unicode", .1), ("-v", .06),
                      ("-a", .4), ("--multiline-dotall", .05), ("--null-data", .02)):
        if rng.random() < p:
            options.append(option)
    if options[0] in ("-n", "-nb", "-onb", "-ob") and not {"-U", "--crlf", "-v"} & set(options) and rng.random() < 0.1:
        options += ["-r", "<$0|$1|$n1>"]
    for one, other in (("-U", "-v"), ("-U", "--crlf"), ("-x", "--null-data")):
        if one in options and other in options:
            options.remove(other)
    return options


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    lines = [line for line in done.stdout.splitlines(True) if b'"type":"summary"' not in line and b'"type":"end"' not in line]
    return done.returncode, b"".join(lines), done.stderr


# Errors of bitsift that do not count as differences: they name a construct that rg accepts, or a
# limit of an engine.
KNOWN_ERRORS = (b"versions of rg disagree", b"unsupported capture group name", b"given up: the pattern takes too long",
                b"regular expression is too large", b"quantifier", b"65535")


def is_known(ours, theirs, patterns, options):
    if ours[0] == 2 and any(known in ours[2] for known in KNOWN_ERRORS):
        return True
    # rg joins the patterns before it reads them, so that a class or group may span them.
    if len(patterns) > 1 and (b": unclosed" in ours[2] or b": unopened" in ours[2]):
        return True
    # A comment at the end of a pattern swallows a parenthesis that rg adds.
    if b"unclosed group" in theirs[2] and any("#" in p and "x" in p for p in patterns):
        return True
    # With --crlf, rg also finds the empty text between CR and LF.
    if "--crlf" in options and ("-w" in options or any(re.search(r"\\B|half", p) for p in patterns)):
        return True
    # bitsift-grep(1) names this difference: \A, \z, and ^ without (?m), where only a part of the
    # text is searched.
    return any(re.search(r"\\[Az]|\(\?\w*-\w*m", p) for p in patterns) and (
        options[0] not in ("-n", "-c", "-nb") or {"--crlf", "-U", "-r"} & set(options))


def is_only_too_large(bitsift, rg, arguments, patterns):
    """True if the only reason of a difference may be PCRE2's size limit of 64 KiB: the pattern has
    several large sets, which written out as bytes exceed it, and the programs agree on the text
    without its invalid characters."""
    if sum(len(re.findall(r"\\[pPDWSw]|\[:?\^", p)) for p in patterns) < 3:
        return False
    with open("t", "rb") as file:
        valid = file.read().decode(errors="ignore")
    with open("t", "w", newline="") as file:
        file.write(valid)
    theirs = run([rg, "--no-config", "--no-heading"] + arguments)
    return run([bitsift, "grep"] + arguments)[:2] == theirs[:2]


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
    n_other = n_valid = n_large = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(rounds):
            rng = random.Random("%s.%d" % (seed, i))
            with open("t", "wb") as file:
                file.write(make_text(rng))
            options = make_options(rng)
            maker = Maker(rng)
            patterns = [maker.either(0) for _ in range(rng.choice([1, 1, 1, 1, 1, 2]))]
            arguments = options + [x for p in patterns for x in ("-e", p)] + ["t"]
            if any("\0" in a for a in arguments):
                continue
            theirs = run([rg, "--no-config", "--no-heading"] + arguments)
            ours = run([bitsift, "grep"] + arguments)
            n_valid += theirs[0] != 2
            if i % 4 == 0 and ours[0] != 2 and differs_from_brute(bitsift, rng, arguments):
                n_other += 1
                print("--- round %d: other than with --brute: %r" % (i, arguments))
            if ours[:2] == theirs[:2] or is_known(ours, theirs, patterns, options):
                continue
            if is_only_too_large(bitsift, rg, arguments, patterns):
                n_large += 1
                continue
            n_other += 1
            print("--- round %d: %r" % (i, arguments))
            print("rg %d, bitsift %d: %s %s" % (theirs[0], ours[0], theirs[2][-200:], ours[2][-300:]))
            if os.environ.get("SHOW"):
                print(theirs[1].decode(errors="backslashreplace")[:600])
                print("ours:")
                print(ours[1].decode(errors="backslashreplace")[:600])
    print("%d of %d rounds had a valid pattern; %d differences; %d patterns were too large" % (n_valid, rounds, n_other, n_large))
    return n_other > 0


sys.exit(main())
