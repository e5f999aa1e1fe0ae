"""Count the words of the files named on the command line, most frequent first."""
import re
import sys
from collections import Counter
from pathlib import Path

WORD = re.compile(r"[^\W\d_]+")


def count_words(paths):
    counts = Counter()
    for path in paths:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        counts.update(word.casefold() for word in WORD.findall(text))
    return counts


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: word_count.py FILE...")
    for word, n in count_words(sys.argv[1:]).most_common(20):
        print(f"{n:8} {word}")


if __name__ == "__main__":
    main()
