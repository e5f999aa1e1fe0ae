"""Index: documents in and out, and searches."""

import contextlib
import os
import threading

from . import _bitsift, _files
from ._bitsift import InvalidError, IoError, Memory, NotFoundError, Query
from ._matrix import Matrix
from ._results import IndexStats


_BEST, _IDS, _COUNT = range(3)
_LISTS = {"globs", "types", "not_types", "places"}


class _State:
    """A commit as opened, and searchers that no thread is using: pop and append are atomic."""

    __slots__ = ("handle", "searchers")

    def __init__(self, handle):
        self.handle = handle
        self.searchers = []

    def borrow(self):
        try:
            return self.searchers.pop()
        except IndexError:
            return _bitsift.Searcher(self.handle)

    @contextlib.contextmanager
    def searcher(self):
        searcher = self.borrow()
        try:
            yield searcher
        finally:
            self.searchers.append(searcher)

    def find(self, query, mode, owner, options):
        searcher = self.borrow()
        try:
            return searcher.find(query, mode, owner, **options)
        finally:
            self.searchers.append(searcher)


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
            hits = self.state.find(self.query, _BEST, None, {**self.options, "snippets": True})[0]
            details = self.details = {hit.document: (hit.snippet, hit.is_changed, hit.passages, hit.best) for hit in hits}
        return details.get(document, (None, True, [], None))


class Hits:
    """What a search found, best first: a sequence of Hit, and an iterator over it.

    total: how many documents match; at_least: there may be more (n_hits of all is exact with exhaustive=True, or by Index.count).
    unreadable: documents that might match and could not be read. partial: a limit cut the search short. notices: what the
    user should know, a line each. changed, gone: files that the search met and that are not what was indexed, or there no more.
    stats: what the search cost. explanation: with explain, how it was done; else None.
    """

    __slots__ = ("_hits", "_next", "total", "at_least", "unreadable", "changed", "gone", "partial", "notices", "stats", "explanation")

    def __init__(self, found):
        (self._hits, self.total, self.at_least, self.unreadable, self.changed, self.gone, self.partial, self.notices, self.stats,
         self.explanation) = found
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
        self._lock = threading.RLock()  # a logger may use the index
        self._state = None
        return self

    @classmethod
    def open(cls, path=None, *, memory=None, fresh=False, kernel=None, trust=False, texts=None, analyzer=None, log=None, slow=None,
             deadline=None, cancel=None, wait=False, threads=0, memory_bytes=0):
        """Opens the index in the directory path (None: the nearest .bitsift upward), or in a Memory.

        fresh: answers are for what the sources hold now. kernel: the SIMD code to use, one of kernels(). trust: the index and
        its sources are used whoever they belong to and wherever they lie; see SECURITY.md. texts: a function that gives the
        document of an id, or None if there is none, for indexes that do not store their texts. analyzer: the Analyzer that the index
        was made with. log: a logging.Logger, or its name, that is told what is done; slow: seconds, a search that takes longer is a
        warning there. deadline, cancel: of opening. wait, threads, memory_bytes: of writing, as for create.
        """
        if path is None and memory is None:
            path = _bitsift.locate()
        shared = {"trust": trust, "texts": texts, "analyzer": analyzer, "log": log, "slow": slow}
        opening = {"fresh": fresh, "kernel": kernel, **shared}
        writing = {"wait": wait, "threads": threads, "memory_bytes": memory_bytes, "store": texts is None, **shared}
        self = cls._make(path, memory, opening, writing)
        self._state = self._open_state(deadline=deadline, cancel=cancel)
        return self

    @classmethod
    def create(cls, path=None, *, memory=None, stem=None, fold_accents=False, split_identifiers=False, weights=None, density=0.0, store=True,
               checksums=True, texts=None, analyzer=None, kernel=None, trust=False, log=None, slow=None, wait=False, threads=0,
               memory_bytes=0, exist_ok=False):
        """Makes an index without documents and opens it: in the directory path, or, without one, in memory.

        stem: a Snowball stemmer, "english": endings do not count. fold_accents: cafe finds café. split_identifiers: the parts of
        camelCase and snake_case are words, too. analyzer: an Analyzer, which cuts texts into words instead. weights: {"title": 3}: words
        of that field count three times in scores. density: share of set bits, 0.05 to 0.6: less is faster and larger. store: texts are
        kept in the index; else texts, a function of an id, gives them when they are needed. checksums=False: such texts only change by
        being added again. threads: that write segments, 0: one a processor. memory_bytes: to work with, 0: 1 GiB. wait: for another
        writer to be done. exist_ok: an index that is there is opened. kernel, trust, log, slow: as for open.
        """
        if path is None and memory is None:
            memory = Memory()
        if path is not None and not exist_ok and os.path.exists(os.path.join(os.fsdecode(path), "manifest")):
            raise FileExistsError(f"{os.fspath(path)}: there is an index already")
        shared = {"trust": trust, "texts": texts, "analyzer": analyzer, "log": log, "slow": slow}
        writing = {"stem": stem, "fold_accents": fold_accents, "split_identifiers": split_identifiers, "weights": weights, "density": density,
                   "store": store, "checksums": checksums, "wait": wait, "threads": threads, "memory_bytes": memory_bytes, **shared}
        self = cls._make(path, memory, {"kernel": kernel, **shared}, writing)
        try:
            self._use_writer().commit()
            self._state = self._open_state()
        except BaseException:
            self.close()
            raise
        return self

    def _open_state(self, **limits):
        return _State(_bitsift.Handle(dir=self._path, memory=self._memory, **self._opening, **limits))

    def _opened(self):
        state = self._state
        if state is None:
            raise ValueError("the index is closed")
        return state

    @property
    def _handle(self):
        """For Query, which cuts words as this commit does."""
        return self._opened().handle

    def _use_writer(self):
        writer = self._writer
        if writer is None:
            with self._lock:
                if self._writer is None:
                    self._writer = _bitsift.Writer(dir=self._path, memory=self._memory, **self._writing)
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
        statistics=None: scores are by these Statistics, of several indexes. exhaustive=False: every match is scored, so that total is
        exact. approx, brute, no_stat=False, threads=0: as in bitsift-query(1).

        Which documents: globs, types, not_types, places=None: lists as those of -g, -t, -T, --in; newer, older=None: dates or
        ages; date_field=None: a field of records that has the date.

        What is shown: snippets=False: snippets and passages are made now, not when a Hit is first asked for them. columns=160:
        of a snippet. mark=("", ""): what stands around each word found. suggest=False: where nothing matches, notices say what may
        have been meant. verbose=False: ... and which files have changed. explain=False: Hits.explanation says how it was done.

        What ends it: deadline=None: seconds; then DeadlineError. cancel=None: a Cancel; then StoppedError. With partial=True, what was
        found until then is the answer. memory_bytes=0: that the search may take.
        """
        state = self._opened()
        if n == 0:
            raise InvalidError("n: at least one hit; Index.count says how many there are")
        for name in _LISTS & options.keys():
            if not isinstance(options[name], (str, bytes, os.PathLike, type(None))):
                options[name] = list(options[name])  # an iterator could be read only once
        options["n"] = n
        if options.get("partial"):
            options.setdefault("snippets", True)  # another search might not come as far
        return Hits(state.find(query, _BEST, _Asked(state, query, options), options))

    def _all(self, mode, query, options):
        found = self._opened().find(query, mode, None, options)
        if found[3]:
            raise IoError(f"{found[3]} documents that might match could not be read")
        return found

    def count(self, query, **options):
        """How many documents match, exactly. Options as those of search about which they are. Raises IoError if one that
        might match cannot be read."""
        return self._all(_COUNT, query, options)[1]

    def ids(self, query, **options):
        """The ids of all documents that match, in document order: a list. Options as those of search about which they are, and
        offset. Raises IoError if one that might match cannot be read."""
        return self._all(_IDS, query, options)[0]

    def statistics(self, query, *, any=False, deadline=None, cancel=None):
        """What scores know of this index, for the words of a query: Statistics. The sum of those of several indexes, handed to search
        of each of them, ranks them as one."""
        with self._opened().searcher() as searcher:
            return searcher.statistics(query, any=any, deadline=deadline, cancel=cancel)

    def query(self, query, **options):
        """A Query whose words are cut as those of this index. Options: any, strict, stop, stop_words, file_names, and deadline
        (seconds), cancel (a Cancel): of each call that takes it."""
        return Query(query, index=self, **options)

    def document(self, id):
        """The texts of a document, by its id or its number (Hit.document): {field: text}; a field that comes again has a list of them, the text
        of a file the name "". Raises NotFoundError."""
        with self._opened().searcher() as searcher:
            return searcher.document(id)[0]

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

    def _show(self, state):
        """Searches see this commit from now on, unless another thread has opened a later one."""
        with self._lock:
            if self._opened().handle.describe()["generation"] <= state.handle.describe()["generation"]:
                self._state = state

    def commit(self, *, deadline=None, cancel=None):
        """Makes what was changed the index's, on disk; searches see it from now on. Returns a BuildReport. deadline (seconds), cancel (a
        Cancel): what they end is rolled back."""
        self._opened()
        report = self._use_writer().commit(deadline=deadline, cancel=cancel)
        self._show(self._open_state())
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
        for name in ("trust", "texts", "analyzer", "log"):
            options.setdefault(name, self._opening[name])
        report = _files.build(self._path, sources, memory=self._memory, **options)
        self._show(self._open_state())
        return report

    def grep(self, pattern, *paths, **options):
        """Lines that match, in the files below paths, without reading those that the index rules out: grep(pattern, *paths, index=this
        one). The index must be in a directory, and have grams (build(..., grams=True), or any index of folders)."""
        if self._path is None:
            raise InvalidError("an index in memory has no files to grep")
        for name in ("trust", "log", "slow"):
            options.setdefault(name, self._opening[name])
        return _files.grep(pattern, *paths, index=self._path, **options)

    def stats(self):
        """What the index holds, and what it is made of: IndexStats."""
        state = self._opened()
        stats = state.handle.describe()
        stats["sources"] = state.handle.sources()
        stats["notices"] = state.handle.notices
        segments = [_bitsift.matrix_segment(state.handle, s) for s in range(_bitsift.matrix_n_segments(state.handle))]
        stats["terms"] = sum(segment[2] for segment in segments)
        stats["postings"] = sum(segment[3] for segment in segments)
        stats["words"] = sum(segment[4] for segment in segments)
        return IndexStats(**stats)

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


