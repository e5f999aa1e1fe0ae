"""Index: adds documents and searches them."""

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
    """An opened commit and its idle searchers. Threads share it without a lock, because pop and
    append of a list are atomic."""

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
    """The query and the options of a search, kept by its hits. If the search made no snippets, the
    first request for a snippet or passage repeats the search and makes them for all hits."""

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
    """The result of a search: a sequence of Hit, best first, and an iterator over it.

    total: the number of matching documents; at_least: there may be more (exhaustive=True and
    Index.count give the exact number). partial: a limit ended the search early. unreadable,
    changed, gone: the numbers of documents that may match but could not be read, of files that
    have changed since indexing, and of files that no longer exist. notices: messages for the user,
    a line each. stats: the cost of the search. explanation: how the search was done, with
    explain=True; else None.
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
    """An open index, in a directory or in memory. Made by Index.open and Index.create.

    Searches use the commit that open, the last call of commit, or refresh found. Documents are
    added, replaced and deleted by id; changes are visible only after commit. `with index:` closes
    the index at the end and discards uncommitted changes.
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
        # Reentrant, because a logger that is called under this lock may use the index.
        self._lock = threading.RLock()
        self._state = None
        return self

    @classmethod
    def open(cls, path=None, *, memory=None, fresh=False, kernel=None, trust=False, texts=None, analyzer=None, log=None, slow=None,
             deadline=None, cancel=None, wait=False, threads=0, memory_bytes=0):
        """Opens the index in the directory path (None: the nearest .bitsift upward), or in a
        Memory.

        fresh: search the current contents of the sources. kernel: the SIMD code to use, one of
        kernels(). trust: use the index and its sources regardless of their owner and place; see
        SECURITY.md. texts: a function that returns the document of an id, or None if it does not
        exist, for indexes that do not store their texts. analyzer: the Analyzer that the index was
        made with. log: a logging.Logger, or its name; slow: seconds; a longer search is logged as a
        warning. deadline, cancel: limits of opening. wait, threads, memory_bytes: options of
        writing, as for create.
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
        """Makes an empty index and opens it: in the directory path, or in memory without one.

        stem: a Snowball stemmer such as "english", to ignore endings. fold_accents: cafe finds
        café. split_identifiers: parts of camelCase and snake_case are also words. analyzer: an
        Analyzer, instead of the library's tokenizer. weights: {"title": 3}: words of that field
        count three times in scores. density: the share of set bits, 0.05 to 0.6; lower is faster
        and larger. store: keep texts in the index; if False, texts, a function of an id, must
        return them. checksums=False: such texts change only if they are added again. threads: the
        number of threads that write segments; 0: one per processor. memory_bytes: memory for
        writing; 0: 1 GiB. wait: wait for another writer. exist_ok: open an existing index. kernel,
        trust, log, slow: as for open.
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
        """For Query, which splits words as this index does."""
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
        """The directory, or None if the index is in memory."""
        return self._path

    @property
    def memory(self):
        """The Memory of the index, or None."""
        return self._memory

    def close(self):
        """Discards uncommitted changes and closes the index. Views of its matrix stay valid."""
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
        """The number of searchable documents."""
        return self._opened().handle.describe()["docs"]

    def search(self, query, n=10, **options):
        """Returns the n best documents by BM25, best first, as Hits. Options:

        Query: offset=0: skip this number of better documents. any=False: match any of the words
        instead of all. strict=False: raise an error instead of a notice. stop=None: a list of stop
        words such as "english", stop_words=None: a text of stop words; they do not score.
        feedback=0: add the typical words of this number of best documents to the query. like=None:
        add the typical words of the document with this id; like_text=None: those of this text.
        sort=None, descending=False: sort by the values of this field. statistics=None: score with
        these Statistics, of several indexes. exhaustive=False: score every match, so that total is
        exact. approx, brute, no_stat=False, threads=0: as in bitsift-query(1).

        Selection of documents: globs, types, not_types, places=None: lists as for -g, -t, -T, --in;
        newer, older=None: dates or ages; date_field=None: a field of records that has the date.

        Output: snippets=False: make snippets and passages now instead of at the first access.
        columns=160: the width of a snippet. mark=("", ""): strings before and after each word
        found. suggest=False: if nothing matches, notices suggest other words. verbose=False:
        notices list changed files. explain=False: Hits.explanation describes how the search was
        done.

        Limits: deadline=None: seconds, after which DeadlineError is raised. cancel=None: a Cancel,
        which raises StoppedError. With partial=True, the hits found so far are returned instead.
        memory_bytes=0: the memory limit of the search.
        """
        state = self._opened()
        if n == 0:
            raise InvalidError("n: at least one hit; Index.count says how many there are")
        for name in _LISTS & options.keys():
            if not isinstance(options[name], (str, bytes, os.PathLike, type(None))):
                # If the search is repeated, an iterator would be used up.
                options[name] = list(options[name])
        options["n"] = n
        if options.get("partial"):
            # Makes the snippets now, because a repeated search might find fewer hits.
            options.setdefault("snippets", True)
        return Hits(state.find(query, _BEST, _Asked(state, query, options), options))

    def _all(self, mode, query, options):
        found = self._opened().find(query, mode, None, options)
        if found[3]:
            raise IoError(f"{found[3]} documents that might match could not be read")
        return found

    def count(self, query, **options):
        """The exact number of matching documents. Options: those of search that select documents.
        Raises IoError if a document that may match cannot be read."""
        return self._all(_COUNT, query, options)[1]

    def ids(self, query, **options):
        """A list of the ids of all matching documents, in document order. Options: those of search
        that select documents, and offset. Raises IoError if a document that may match cannot be
        read."""
        return self._all(_IDS, query, options)[0]

    def statistics(self, query, *, any=False, deadline=None, cancel=None):
        """The Statistics of this index for the words of a query. Several indexes rank as one if the
        sum of their statistics is passed to search of each."""
        with self._opened().searcher() as searcher:
            return searcher.statistics(query, any=any, deadline=deadline, cancel=cancel)

    def query(self, query, **options):
        """Returns a Query whose words are split as by this index. Options: any, strict, stop,
        stop_words, file_names; deadline (seconds) and cancel (a Cancel) limit each call of the
        query's methods."""
        return Query(query, index=self, **options)

    def document(self, id):
        """The texts of a document, by its id or its number (Hit.document): {field: text}. A field
        that occurs several times has a list of texts. The field of a file's text is "". Raises
        NotFoundError."""
        with self._opened().searcher() as searcher:
            return searcher.document(id)[0]

    def __contains__(self, id):
        try:
            self.document(id)
        except NotFoundError:
            return False
        return True

    def add(self, id, document):
        """Adds a document or replaces the one with this id; visible after commit. document: a str,
        or a mapping of field names to texts; numbers, lists and nested mappings count as their
        texts."""
        (self._writer or self._change()).add(id, document)

    def add_many(self, documents):
        """Adds the documents of an iterable of pairs (id, document), or of dicts with an "id".
        Returns their number. Documents before a failure stay added until commit or rollback."""
        return self._change().add_many(documents)

    def replace(self, id, document):
        """Like add, but raises NotFoundError if no document has this id."""
        self._change().replace(id, document)

    def delete(self, id):
        """Deletes the document with this id. Returns False if there is none."""
        return self._change().delete(id)

    def delete_query(self, query):
        """Deletes the matching documents that add or add_many added. Returns their number."""
        return self._change().delete_query(query)

    def _show(self, state):
        """Makes searches use the commit of `state` unless another thread has opened a later one."""
        with self._lock:
            if self._opened().handle.describe()["generation"] <= state.handle.describe()["generation"]:
                self._state = state

    def commit(self, *, deadline=None, cancel=None):
        """Commits the changes; searches of this object then see them. Returns a BuildReport. If
        deadline (seconds) or cancel (a Cancel) ends the commit, the changes are rolled back."""
        self._opened()
        report = self._use_writer().commit(deadline=deadline, cancel=cancel)
        self._show(self._open_state())
        return report

    def rollback(self):
        """Discards the changes since the last commit."""
        self._opened()
        if self._writer is not None:
            self._writer.rollback()

    def writer(self):
        """Returns a Writer for `with index.writer() as writer:`, which commits at the end, or rolls
        back after an exception."""
        return Writer(self)

    def refresh(self):
        """Opens the last commit. Returns False if it was open already, unless open(fresh=True)."""
        before = self._opened().handle.describe()["generation"]
        state = self._open_state()
        if state.handle.describe()["generation"] == before and not self._opening.get("fresh"):
            return False
        self._state = state
        return True

    def update(self, *sources, **options):
        """Updates the index from files, folders and JSONL collections, or from all its sources if
        none is given, like build(path, sources, ...); searches of this object then see the result.
        Raises BusyError while there are uncommitted changes."""
        self._opened()
        for name in ("trust", "texts", "analyzer", "log"):
            options.setdefault(name, self._opening[name])
        report = _files.build(self._path, sources, memory=self._memory, **options)
        self._show(self._open_state())
        return report

    def grep(self, pattern, *paths, **options):
        """Calls grep(pattern, *paths) with this index, so that files that it rules out are not
        read. The index must be in a directory and have grams (build(..., grams=True), or any index
        of folders)."""
        if self._path is None:
            raise InvalidError("an index in memory has no files to grep")
        for name in ("trust", "log", "slow"):
            options.setdefault(name, self._opening[name])
        return _files.grep(pattern, *paths, index=self._path, **options)

    def stats(self):
        """The contents of the index: IndexStats."""
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
        """The Matrix of the commit that is open now."""
        return Matrix(self._opened())


class Writer:
    """Changes of an index that are committed together. Made by Index.writer."""

    def __init__(self, index):
        self._index = index
        self.report = None
        """The report of the commit."""

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
        """Discards the changes made so far."""
        self._index.rollback()


