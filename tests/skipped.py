#!/usr/bin/env python3
"""skipped.py JUNIT: prints the tests of a ctest run that were skipped, wholly or in part, with reasons.

Exit status 1 if there are any.
"""
import re
import sys
import xml.etree.ElementTree as tree

n_skipped = 0
for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    output = case.findtext("system-out") or ""
    reasons = re.findall(r"(?m)^skipped: (.*)|^\[  SKIPPED \] (\w+)$", output)
    if case.find("skipped") is not None or reasons:
        reason = ", ".join(dict.fromkeys("".join(pair) for pair in reasons)) or output.strip() or "not run"
        n_skipped += 1
        print(f"skipped: {case.get('name')}: {reason}", file=sys.stderr)
sys.exit(n_skipped > 0)
