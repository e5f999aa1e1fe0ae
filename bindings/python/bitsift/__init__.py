"""Exact full-text search and indexed grep.

    import bitsift

    with bitsift.Index.create() as index:          # in memory; Index.create("notes.index") on disk
        index.add("a", "A Bloom filter is a set with false positives.")
        index.add("b", {"title": "Coffee", "text": "A paper filter."})
        index.commit()
        for hit in index.search("filter -bloom"):
            print(hit.score, hit.id, hit.snippet)

The query language is that of `bitsift query`; its manual is bitsift-query(1). Failures raise a
subclass of Error, which also derives from the closest built-in exception: ValueError, OSError,
MemoryError ...

Several threads may use an Index at once. Other threads run while the library reads, builds and
searches.
"""

from . import _bitsift
from ._bitsift import (
    Analyzer,
    BusyError,
    Cancel,
    CorruptError,
    DeadlineError,
    Error,
    Grep,
    Hit,
    InvalidError,
    IoError,
    Line,
    Match,
    Memory,
    NoMemoryError,
    NotFoundError,
    Passage,
    Place,
    Query,
    Statistics,
    StoppedError,
    UnsupportedError,
    UntrustedError,
    View,
    kernels,
    locate,
)
from ._files import build, check, compact, delete, grep
from ._index import Hits, Index, Writer
from ._matrix import Candidates, Columns, Matrix, Segment, Shard, Term, Treatment
from ._results import BuildReport, CheckReport, DeleteReport, GrepReport, IndexStats, SearchStats, Source

__version__ = _bitsift.version
__all__ = [
    "Analyzer", "BuildReport", "BusyError", "Cancel", "Candidates", "CheckReport", "Columns", "CorruptError", "DeadlineError",
    "DeleteReport", "Error", "Grep", "GrepReport", "Hit", "Hits", "Index", "IndexStats", "InvalidError", "IoError", "Line", "Match",
    "Matrix", "Memory", "NoMemoryError", "NotFoundError", "Passage", "Place", "Query", "SearchStats", "Segment", "Shard", "Source",
    "Statistics", "StoppedError", "Term", "Treatment", "UnsupportedError", "UntrustedError", "View", "Writer", "build", "check",
    "compact", "delete", "grep", "kernels", "locate",
]

# Every public object names bitsift as its module, whichever file defines it.
for _name in __all__:
    if hasattr(globals()[_name], "__code__") or globals()[_name].__module__.startswith("bitsift._"):
        globals()[_name].__module__ = "bitsift"
del _name
