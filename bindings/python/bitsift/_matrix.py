"""The bits behind an index, for who wants to look at them; numpy reads columns where they lie."""

from typing import NamedTuple

from . import _bitsift
from ._bitsift import View


class Treatment(NamedTuple):
    """The hashed columns that a term has which is in at least min_df documents of a segment, and fewer than the next treatment says."""

    min_df: int
    columns: tuple
    """Of documents, of groups of 8, of blocks."""
    has_false_positives: bool


class Term(NamedTuple):
    """A word of a segment, as it is indexed."""

    term: str
    ordinal: int
    df: int
    treatment: int


class Columns:
    """The columns of one level of a shard: a matrix of bits in 64-bit words.

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


class Shard:
    """Up to 262,144 documents of a segment: a matrix with a row each. is_lists: they have lists of terms instead, and only exact columns.

    document_columns, group_columns, block_columns, exact_columns: Columns.
    """

    __slots__ = ("_handle", "segment", "number", "rows", "is_lists", "document_columns", "group_columns", "block_columns", "exact_columns")

    def __init__(self, handle, segment, number):
        self._handle = handle
        self.segment = segment
        self.number = number
        self.rows, self.is_lists, levels = _bitsift.matrix_shard(handle, segment, number)
        columns = [Columns(handle, (segment, number, level), shape) for level, shape in enumerate(levels)]
        self.document_columns, self.group_columns, self.block_columns, self.exact_columns = columns

    def documents(self):
        """Which document each row is: a View of 64-bit numbers as Hit.document."""
        return _bitsift.matrix_documents(self._handle, self.segment, self.number)

    def columns_of(self, term):
        """The numbers of a term's columns: four lists, of documents, groups, blocks, and exact. NotFoundError: no such term."""
        return _bitsift.matrix_term_columns(self._handle, self.segment, self.number, term)


class Segment:
    """One file of the index. documents (deleted ones too), deleted, terms, postings, words, density (asked for), shards, treatments."""

    __slots__ = ("_handle", "number", "documents", "deleted", "n_terms", "postings", "words", "density", "_n_shards", "_n_treatments")

    def __init__(self, handle, number):
        self._handle = handle
        self.number = number
        (self.documents, self.deleted, self.n_terms, self.postings, self.words, self._n_shards, self._n_treatments,
         self.density) = _bitsift.matrix_segment(handle, number)

    @property
    def shards(self):
        """A list of Shard."""
        return [Shard(self._handle, self.number, i) for i in range(self._n_shards)]

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
    """What the filter leaves of a shard: bit i % 64 of word i / 64 of bits is row i."""

    segment: int
    shard: int
    rows: int
    count: int
    sure: int
    """Of them, those that match for sure."""
    bits: View


class Matrix:
    """The matrix of a commit, for study: segments have shards, shards have columns."""

    __slots__ = ("_state",)

    def __init__(self, state):
        self._state = state

    @property
    def segments(self):
        """A list of Segment; number: Hit.document >> 32."""
        handle = self._state.handle
        return [Segment(handle, i) for i in range(_bitsift.matrix_n_segments(handle))]

    def candidates(self, query, **options):
        """The documents that pass the filter, before any text is read: a list of Candidates, one a shard. Options as those of
        Index.search about which documents match. All matches are among them; where the query is of words alone, no others."""
        with self._state.searcher() as searcher:
            return [Candidates(*one) for one in _bitsift.matrix_candidates(searcher, query, options)]

    def name(self, document):
        """The id of a document, by its number."""
        with self._state.searcher() as searcher:
            return _bitsift.matrix_name(searcher, document)[0]

    def is_deleted(self, document):
        """Whether it is deleted, or none."""
        return _bitsift.matrix_is_deleted(self._state.handle, document)
