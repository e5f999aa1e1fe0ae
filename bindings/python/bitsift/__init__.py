"""Exact full-text search and indexed grep.

    import bitsift

    with bitsift.Index.create() as index:          # in memory; Index.create("notes.index") on disk
        index.add("a", "A Bloom filter is a set with false positives.")
        index.add("b", {"title": "Coffee", "text": "A paper filter."})
        index.commit()
        for hit in index.search("filter -bloom"):
            print(hit.score, hit.id, hit.snippet)

The query language is that of `bitsift query` (its manual: bitsift-query(1)). What fails raises a subclass of Error, which is
also the exception of Python's that comes nearest: ValueError, OSError, MemoryError ...

An Index may be used by several threads at once. While the library reads, builds and searches, other threads run.
"""

import os
import queue
import threading
import weakref
from typing import NamedTuple

from . import _bitsift
from ._bitsift import (
    BusyError,
    CorruptError,
    DeadlineError,
    Error,
    Hit,
    InvalidError,
    IOFailure,
    Line,
    Memory,
    NoMemoryError,
    NotFoundError,
    Passage,
    StoppedError,
    UnsupportedError,
    UntrustedError,
    View,
    kernels,
    locate,
)

__version__ = _bitsift.version
__all__ = [
    "BusyError", "Candidates", "Columns", "CorruptError", "DeadlineError", "Error", "Grep", "Hit", "Hits", "Index", "InvalidError", "IOFailure",
    "Line", "Matrix", "Memory", "NoMemoryError", "NotFoundError", "Passage", "Segment", "Slab", "StoppedError", "Term", "Treatment",
    "UnsupportedError", "UntrustedError", "View", "Writer", "build", "check", "compact", "grep", "kernels", "locate",
]

_TOP, _IDS, _COUNT = range(3)


class _State:
    """A commit as opened, and finders that no thread is using: pop and append are atomic."""

    __slots__ = ("handle", "finders")

    def __init__(self, handle):
        self.handle = handle
        self.finders = []

    def borrow(self):
        try:
            return self.finders.pop()
        except IndexError:
            return _bitsift.Finder(self.handle)

    def find(self, *arguments, **options):
        finder = self.borrow()
        try:
            return finder.find(*arguments, **options)
        finally:
            self.finders.append(finder)


class _Asked:
    """A search, for what its hits are asked for later: all of them are then looked at once more."""

    __slots__ = ("state", "query", "options", "details")

    def __init__(self, state, query, options):
        self.state = state
        self.query = query
        self.options = options
        self.details = None

    def _detail(self, document):
        details = self.details
        if details is None:
            hits = self.state.find(self.query, None, _TOP, details=True, **self.options)[0]
            details = self.details = {hit.document: (hit.snippet, hit.is_changed, hit.passages, hit.best) for hit in hits}
        return details.get(document, (None, True, [], None))


class Hits:
    """What a search found, best first: a sequence of Hit, and an iterator over it.

    total: how many documents match; at_least: there may be more (n_hits of all is exact with exhaustive=True, or by Index.count).
    unreadable: documents that might match and could not be read. partial: a deadline cut the search short. notices: what the
    user should know, a line each. stats: what the search cost.
    """

    __slots__ = ("_hits", "_next", "total", "at_least", "unreadable", "partial", "notices", "stats")

    def __init__(self, found):
        self._hits, self.total, self.at_least, self.unreadable, self.partial, self.notices, self.stats = found
        self._next = 0

    def __len__(self):
        return len(self._hits)

    def __getitem__(self, i):
        return self._hits[i]

    def __iter__(self):
        return iter(self._hits)

    def __next__(self):
        if self._next >= len(self._hits):
            raise StopIteration
        self._next += 1
        return self._hits[self._next - 1]

    def __repr__(self):
        return f"<bitsift.Hits {len(self._hits)} of {self.total}{'+' if self.at_least else ''}>"


class Index:
    """An index, opened: in a directory or in memory. Made by Index.open and Index.create.

    Searches answer for the last commit that this object knows of: the one that was there when it was opened, made by its own
    commit, or found by refresh. Documents are added, replaced and deleted by id; nothing of that is seen, by anybody, before
    commit. `with index:` closes it at the end; what is not committed then is forgotten.
    """

    def __init__(self, *arguments, **options):
        raise TypeError("Index.open(path) or Index.create(path)")

    @classmethod
    def _make(cls, path, memory, opening, writing):
        self = object.__new__(cls)
        self._path = None if path is None else os.fspath(path)
        self._memory = memory
        self._opening = opening
        self._writing = writing
        self._writer = None
        self._lock = threading.Lock()
        self._state = None
        return self

    @classmethod
    def open(cls, path=None, *, memory=None, fresh=False, kernel=None, trust=False, texts=None, wait=False, threads=0, memory_bytes=0):
        """Opens the index in the directory path (None: the nearest .bitsift upward), or in a Memory.

        fresh: answers are for what the sources hold now. kernel: the SIMD code to use, one of kernels(). trust: the index and
        its sources are used whoever they belong to and wherever they lie; see SECURITY.md. texts: a function that gives the
        document of an id, or None if there is none, for indexes that do not store their texts. wait, threads, memory_bytes:
        of writing, as for create.
        """
        if path is None and memory is None:
            path = locate()
        opening = {"fresh": fresh, "kernel": kernel, "trust": trust, "texts": texts}
        writing = {"trust": trust, "texts": texts, "wait": wait, "threads": threads, "memory_bytes": memory_bytes, "store": texts is None}
        self = cls._make(path, memory, opening, writing)
        self._state = self._open_state()
        return self

    @classmethod
    def create(cls, path=None, *, memory=None, stem=None, fold_accents=False, split_identifiers=False, weights=None, density=0.0, store=True,
               texts=None, kernel=None, trust=False, wait=False, threads=0, memory_bytes=0, exist_ok=False):
        """Makes an index without documents and opens it: in the directory path, or, without one, in memory.

        stem: a Snowball stemmer, "english": endings do not count. fold_accents: cafe finds café. split_identifiers: the parts of
        camelCase and snake_case are words, too. weights: {"title": 3}: words of that field count three times in scores.
        density: share of set bits, 0.05 to 0.6: less is faster and larger. store: texts are kept in the index; else texts, a
        function of an id, gives them when they are needed. threads: that write segments, 0: one a processor. memory_bytes:
        to work with, 0: 1 GiB. wait: for another writer to be done. exist_ok: an index that is there is opened.
        """
        if path is None and memory is None:
            memory = Memory()
        if path is not None and not exist_ok and os.path.exists(os.path.join(os.fspath(path), "manifest")):
            raise FileExistsError(f"{os.fspath(path)}: there is an index already")
        if weights is not None and not isinstance(weights, (list, tuple)):
            weights = [f"{field}={weight}" for field, weight in dict(weights).items()]
        opening = {"kernel": kernel, "trust": trust, "texts": texts}
        writing = {"stem": stem, "fold_accents": fold_accents, "split_identifiers": split_identifiers, "weights": weights, "density": density,
                   "store": store, "texts": texts, "trust": trust, "wait": wait, "threads": threads, "memory_bytes": memory_bytes}
        self = cls._make(path, memory, opening, writing)
        try:
            self._use_writer().commit()
            self._state = self._open_state()
        except BaseException:
            self.close()
            raise
        return self

    def _open_state(self):
        return _State(_bitsift.Handle(self._path, self._memory, **self._opening))

    def _opened(self):
        state = self._state
        if state is None:
            raise ValueError("the index is closed")
        return state

    def _use_writer(self):
        writer = self._writer
        if writer is None:
            with self._lock:
                if self._writer is None:
                    self._writer = _bitsift.Writer(self._path, self._memory, **self._writing)
                writer = self._writer
        return writer

    def _change(self):
        self._opened()
        return self._writer or self._use_writer()

    @property
    def path(self):
        """The directory, or None: it is in memory."""
        return self._path

    @property
    def memory(self):
        """The Memory that it is in, or None."""
        return self._memory

    def close(self):
        """Forgets what was not committed, and closes the index. Views of its matrix keep what they show."""
        writer, self._writer, self._state = self._writer, None, None
        if writer is not None:
            writer.close()

    def __enter__(self):
        self._opened()
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        if self._state is None:
            return "<bitsift.Index closed>"
        return f"<bitsift.Index {self._path or 'in memory'}: {len(self)} documents>"

    def __len__(self):
        """Documents that can be found."""
        return self._opened().handle.describe()["docs"]

    def search(self, query, n=10, **options):
        """The n best documents by BM25, best first: Hits. Options:

        offset=0: so many better ones are passed over. any=False: documents with any of the words, not all. strict=False: what
        would be a notice is an error. stop=None, stop_words=None: words that do not score, the list "english" or a text of
        them. feedback=0: the words typical of so many of the best documents count beside the query. like=None, like_text=None:
        those of the document of that id, of that text. sort=None, descending=False: in the order of the values of that field.
        exhaustive=False: every match is scored, so that total is exact. approx, brute, no_stat=False, threads=0: as in bitsift-query(1).

        Which documents: globs, types, not_types, places=None: lists as those of -g, -t, -T, --in; newer, older=None: dates or
        ages; date_field=None: a field of records that has the date.

        What is shown: snippets=False: snippets and passages are made now, not when a Hit is first asked for them. columns=160:
        of a snippet. mark=("", ""): what stands around each word found.

        deadline=None: seconds; then DeadlineError, or with partial=True what was found until then. memory_bytes=0: that the
        search may take.
        """
        if "snippets" in options:
            options["details"] = options.pop("snippets")
        if "deadline" in options and options["deadline"] is None:
            del options["deadline"]
        state = self._opened()
        details = options.pop("details", False)
        options["n"] = n
        if n == 0:
            raise InvalidError("n: at least one hit; Index.count says how many there are")
        finder = state.borrow()
        try:
            return Hits(finder.find(query, _Asked(state, query, options), _TOP, details=details, **options))
        finally:
            state.finders.append(finder)

    def count(self, query, **options):
        """How many documents match, exactly. Options as those of search about which they are. Raises IOFailure if one that
        might match cannot be read."""
        found = self._opened().find(query, None, _COUNT, **options)
        if found[3]:
            raise IOFailure(f"{found[3]} documents that might match could not be read")
        return found[1]

    def ids(self, query, **options):
        """The ids of all documents that match, in document order: a list. Options as those of search about which they are, and n and
        offset. Raises IOFailure if one that might match cannot be read."""
        found = self._opened().find(query, None, _IDS, **options)
        if found[3]:
            raise IOFailure(f"{found[3]} documents that might match could not be read")
        return found[0]

    def document(self, id):
        """The texts of a document, {field: text}; a field that comes again has a list of them, the text of a file the name "".
        Raises NotFoundError."""
        state = self._opened()
        finder = state.borrow()
        try:
            return finder.document(id)[0]
        finally:
            state.finders.append(finder)

    def __contains__(self, id):
        try:
            self.document(id)
        except NotFoundError:
            return False
        return True

    def add(self, id, document):
        """Adds a document, or puts it in the place of the one with that id. document: a str, or a mapping of names of fields to texts; of
        numbers, lists and mappings in it, the texts inside count. Seen after commit."""
        (self._writer or self._change()).add(id, document)

    def add_many(self, documents):
        """Adds documents of an iterable: pairs (id, document), or dicts with an "id". How many. After a failure those before it are added,
        and wait for commit or rollback."""
        return self._change().add_many(documents)

    def replace(self, id, document):
        """As add, but NotFoundError if there is no document of that id."""
        self._change().replace(id, document)

    def delete(self, id):
        """Deletes the document of that id. Whether there was one."""
        return self._change().delete(id)

    def delete_query(self, query):
        """Deletes the documents that match, of those that were added; how many."""
        return self._change().delete_query(query)

    def commit(self):
        """Makes what was changed the index's, on disk; searches see it from now on. What was done, as a dict."""
        self._opened()
        report = self._use_writer().commit()
        self._state = self._open_state()
        return report

    def rollback(self):
        """Forgets the changes since the last commit."""
        self._opened()
        if self._writer is not None:
            self._writer.rollback()

    def writer(self):
        """For `with index.writer() as writer:`, which commits at the end, or rolls back what was done if an exception ends it."""
        return Writer(self)

    def refresh(self):
        """Opens the last commit, if others have written. Whether it is another one."""
        before = self._opened().handle.describe()["generation"]
        state = self._open_state()
        if state.handle.describe()["generation"] == before and not self._opening.get("fresh"):
            return False
        self._state = state
        return True

    def update(self, *sources, **options):
        """Looks at files, folders and JSONL collections, or without any at all that the index has: adds what is new, forgets what is gone.
        As build(path, sources, ...); searches see it afterwards. Not while changes wait for commit: BusyError."""
        self._opened()
        report = _bitsift.build(self._path, self._memory, list(sources), trust=self._opening.get("trust", False), **options)
        self._state = self._open_state()
        return report

    def grep(self, pattern, *paths, **options):
        """Lines that match, in the files below paths, without reading those that the index rules out: grep(pattern, *paths, index=this
        one). The index must be in a directory, and have grams (build(..., grams=True), or any index of folders)."""
        if self._path is None:
            raise InvalidError("an index in memory has no files to grep")
        options.setdefault("trust", self._opening.get("trust", False))
        return Grep(pattern, paths, index=self._path, **options)

    def stats(self):
        """What the index holds, and what it is made of: a dict."""
        state = self._opened()
        stats = state.handle.describe()
        stats["sources"] = [{"kind": kind, "label": label, "path": path} for kind, label, path in state.handle.sources()]
        segments = [_bitsift.matrix_segment(state.handle, s) for s in range(_bitsift.matrix_n_segments(state.handle))]
        stats["terms"] = sum(segment[2] for segment in segments)
        stats["postings"] = sum(segment[3] for segment in segments)
        stats["words"] = sum(segment[4] for segment in segments)
        return stats

    @property
    def matrix(self):
        """The bits behind it: Matrix, of the commit that is open now."""
        return Matrix(self._opened())


class Writer:
    """Changes of an index that are committed together: made by Index.writer."""

    def __init__(self, index):
        self._index = index
        self.report = None
        """What commit did."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self._index.rollback()
        else:
            self.report = self._index.commit()

    def add(self, id, document):
        """As Index.add."""
        self._index.add(id, document)

    def add_many(self, documents):
        """As Index.add_many."""
        return self._index.add_many(documents)

    def replace(self, id, document):
        """As Index.replace."""
        self._index.replace(id, document)

    def delete(self, id):
        """As Index.delete."""
        return self._index.delete(id)

    def delete_query(self, query):
        """As Index.delete_query."""
        return self._index.delete_query(query)

    def rollback(self):
        """Forgets what was done so far."""
        self._index.rollback()


def build(path, sources=(), **options):
    """Makes or refreshes the index in the directory path from files, folders and JSONL collections, as `bitsift index` does; what was
    done, as a dict, whose "notices" say what was left out. Without sources: all that the index has.

    Options: memory (a Memory, path None), forget (sources), words, grams, stem, fold_accents, split_identifiers, weights (["title=3"]),
    hidden, no_ignore, id_field, text_fields, globs, records, store, density, rebuild, strict, wait, memory_bytes, threads, trust,
    deadline (seconds).
    """
    return _bitsift.build(path, sources=list(sources), **options)


def compact(path, **options):
    """Few large segments instead of many small ones, and deleted documents gone. Options: memory, wait, memory_bytes, threads, trust, deadline."""
    return _bitsift.compact(path, **options)


def check(path=None, **options):
    """Reads every byte of an index: raises CorruptError if it is not what the format says. Options: memory, trust."""
    return _bitsift.check(path, **options)


class _Lines:
    """What passes from the thread that greps to the one that asks. The thread holds nothing of Grep, so that one which nobody has any
    more ends it."""

    __slots__ = ("batches", "is_over", "result", "error")

    def __init__(self):
        self.batches = queue.Queue(4)
        self.is_over = False
        self.result = None
        self.error = None

    def put(self, batch):
        while not self.is_over:
            try:
                self.batches.put(batch, timeout=0.05)
                return False
            except queue.Full:
                continue
        return True

    def run(self, patterns, paths, options):
        try:
            self.result = _bitsift.grep(self.put, patterns, paths, **options)
        except BaseException as error:
            self.error = error
        self.put(None)


class Grep:
    """An iterator over Line, in the order of files and lines; made by grep and Index.grep.

    result: after the end, a dict: files, files_with_match, unread, notices ... close() ends the search early, as the end of
    `with` and of the object does.
    """

    def __init__(self, pattern, paths=(), **options):
        lines = _Lines()
        if options.get("deadline", 0) is None:
            del options["deadline"]
        patterns = [pattern] if isinstance(pattern, (str, bytes)) else list(pattern)
        self._lines = lines
        self._batch = iter(())
        self._thread = threading.Thread(target=lines.run, args=(patterns, [os.fspath(path) for path in paths], options), daemon=True)
        self._finalizer = weakref.finalize(self, setattr, lines, "is_over", True)
        self._thread.start()

    def __iter__(self):
        return self

    def __next__(self):
        for line in self._batch:
            return line
        if self._lines.is_over:
            raise StopIteration
        batch = self._lines.batches.get()
        if batch is not None:
            self._batch = iter(batch)
            return next(self)
        self.close()
        if self._lines.error is not None:
            error, self._lines.error = self._lines.error, None
            raise error
        raise StopIteration

    @property
    def result(self):
        """What the search came to, once it is over: a dict; None before."""
        return self._lines.result

    def close(self):
        """Ends the search."""
        self._lines.is_over = True
        self._batch = iter(())
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def grep(pattern, *paths, **options):
    """Lines that match a regular expression (PCRE2), or any of a list of them, in files and below folders (none: the working
    directory), as `bitsift grep` finds them: an iterator of Line(path, number, text, matches, offset, is_context).

    Options: index (the directory of one, which rules files out), ignore_case, smart_case, fixed (literal text), word, line
    (whole ones), multiline, invert, pcre2, hidden, no_ignore, follow, globs, types, not_types, before, after (lines of
    context), max_count (of each file), files (only their names), no_stat, brute, threads, trust, text (binary files too),
    encoding, ands, nots (further patterns), by_file, candidates (files that the index does not rule out), deadline (seconds).
    """
    return Grep(pattern, paths, **options)


class Treatment(NamedTuple):
    """The hashed columns that a term has which is in at least min_df documents of a segment, and fewer than the next treatment says."""

    min_df: int
    columns: tuple
    """Of documents, of groups of 8, of blocks."""
    has_exceptions: bool


class Term(NamedTuple):
    """A word of a segment, as it is indexed."""

    term: str
    ordinal: int
    df: int
    treatment: int


class Columns:
    """The columns of one level of a slab: a matrix of bits in 64-bit words.

    words: words of a column; lanes: bits of it that are in use; rows_per_lane: rows that a bit stands for; set_bits: of all.
    numpy.asarray(columns.view()) is of shape (len(columns), words), where they lie, uncopied; bit i % 64 of word i / 64 is
    lane i: numpy.unpackbits(array.view("uint8"), axis=1, bitorder="little")[:, :lanes].
    """

    __slots__ = ("_handle", "_at", "_n", "words", "lanes", "rows_per_lane", "set_bits")

    def __init__(self, handle, at, shape):
        self._handle = handle
        self._at = at
        self._n, self.words, self.lanes, self.rows_per_lane, self.set_bits = shape

    def __len__(self):
        return self._n

    def view(self, first=0, n=None):
        """Columns first to first + n (None: all), as a buffer of two dimensions; their checksums are verified. Borrowed from the index, which it
        keeps open."""
        return _bitsift.matrix_columns(self._handle, *self._at, first, self._n - first if n is None else n)

    def __getitem__(self, i):
        """One column: a memoryview of its words."""
        i = i + self._n if i < 0 else i
        if not 0 <= i < self._n:
            raise IndexError(i)
        return memoryview(self.view(i, 1))[0:1].cast("B").cast("Q")

    def popcounts(self, first=0, n=None):
        """Set bits of each column, by counting them: a View of 32-bit numbers."""
        return _bitsift.matrix_popcounts(self._handle, *self._at, first, self._n - first if n is None else n)

    def densities(self):
        """The share of set bits of each column: a list."""
        return [count / self.lanes for count in memoryview(self.popcounts())]

    @property
    def density(self):
        """Of all columns together."""
        return self.set_bits / (self._n * self.lanes) if self._n else 0.0


class Slab:
    """Up to 262,144 documents of a segment: a matrix with a row each. is_lists: they have lists of terms instead, and only exact columns.

    document_columns, group_columns, block_columns, exact_columns: Columns.
    """

    __slots__ = ("_handle", "segment", "number", "rows", "is_lists", "document_columns", "group_columns", "block_columns", "exact_columns")

    def __init__(self, handle, segment, number):
        self._handle = handle
        self.segment = segment
        self.number = number
        self.rows, self.is_lists, levels = _bitsift.matrix_slab(handle, segment, number)
        columns = [Columns(handle, (segment, number, level), shape) for level, shape in enumerate(levels)]
        self.document_columns, self.group_columns, self.block_columns, self.exact_columns = columns

    def documents(self):
        """Which document each row is: a View of 64-bit numbers as Hit.document."""
        return _bitsift.matrix_documents(self._handle, self.segment, self.number)

    def columns_of(self, term):
        """The numbers of a term's columns: four lists, of documents, groups, blocks, and exact. NotFoundError: no such term."""
        return _bitsift.matrix_term_columns(self._handle, self.segment, self.number, term)


class Segment:
    """One file of the index. documents (deleted ones too), deleted, terms, postings, words, density (asked for), slabs, treatments."""

    __slots__ = ("_handle", "number", "documents", "deleted", "n_terms", "postings", "words", "density", "_n_slabs", "_n_treatments")

    def __init__(self, handle, number):
        self._handle = handle
        self.number = number
        (self.documents, self.deleted, self.n_terms, self.postings, self.words, self._n_slabs, self._n_treatments,
         self.density) = _bitsift.matrix_segment(handle, number)

    @property
    def slabs(self):
        """A list of Slab."""
        return [Slab(self._handle, self.number, i) for i in range(self._n_slabs)]

    @property
    def treatments(self):
        """A list of Treatment, by min_df."""
        return [Treatment(*_bitsift.matrix_treatment(self._handle, self.number, i)) for i in range(self._n_treatments)]

    def term(self, term):
        """A word as it is indexed, folded: Term. NotFoundError."""
        return Term(*_bitsift.matrix_term(self._handle, self.number, term))

    def terms(self, start=""):
        """All from start on, in the order of their bytes: an iterator of Term. Those that are no words have a byte 0xff in them."""
        first = 0
        while batch := _bitsift.matrix_terms(self._handle, self.number, start, 1000):
            for term in batch[first:]:
                yield Term(*term)
            if len(batch) < 1000:
                return
            start, first = batch[-1][0], 1


class Candidates(NamedTuple):
    """What the filter leaves of a slab: bit i % 64 of word i / 64 of bits is row i."""

    segment: int
    slab: int
    rows: int
    count: int
    sure: int
    """Of them, those that match for sure."""
    bits: View


class Matrix:
    """The matrix of a commit, for who wants to look at it: segments have slabs, slabs have columns."""

    __slots__ = ("_state",)

    def __init__(self, state):
        self._state = state

    @property
    def segments(self):
        """A list of Segment; number: Hit.document >> 32."""
        handle = self._state.handle
        return [Segment(handle, i) for i in range(_bitsift.matrix_n_segments(handle))]

    def candidates(self, query, **options):
        """The documents that pass the filter, before any text is read: a list of Candidates, one a slab. Options as those of
        Index.search about which documents match. All matches are among them; where the query is of words alone, no others."""
        finder = self._state.borrow()
        try:
            return [Candidates(*one) for one in _bitsift.matrix_candidates(finder, (query,), options)]
        finally:
            self._state.finders.append(finder)

    def name(self, document):
        """The id of a document, by its number."""
        finder = self._state.borrow()
        try:
            return _bitsift.matrix_name(finder, document)[0]
        finally:
            self._state.finders.append(finder)

    def is_deleted(self, document):
        """Whether it is deleted, or none."""
        return _bitsift.matrix_is_deleted(self._state.handle, document)
