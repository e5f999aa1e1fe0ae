"""The bit matrix of an index, for study. numpy can read columns without a copy."""

from typing import NamedTuple

from . import _bitsift
from ._bitsift import View


class Treatment(NamedTuple):
    """The number of hashed columns of a term whose df in a segment is at least min_df, and less
    than that of the next treatment."""

    min_df: int
    columns: tuple
    """The numbers of document columns, of group columns (8 documents) and of block columns."""
    has_false_positives: bool


class Term(NamedTuple):
    """A term of a segment, as it is indexed."""

    term: str
    ordinal: int
    df: int
    treatment: int


class Columns:
    """The columns of one level of a shard: a matrix of bits in 64-bit words.

    words: words per column; lanes: used bits per column; rows_per_lane: rows that a bit represents;
    set_bits: set bits of all columns. numpy.asarray(columns.view()) has the shape (len(columns),
    words) and is not a copy. Bit i % 64 of word i / 64 is lane i:
    numpy.unpackbits(array.view("uint8"), axis=1, bitorder="little")[:, :lanes].
    """

    __slots__ = ("_handle", "_at", "_n", "words", "lanes", "rows_per_lane", "set_bits")

    def __init__(self, handle, at, shape):
        self._handle = handle
        self._at = at
        self._n, self.words, self.lanes, self.rows_per_lane, self.set_bits = shape

    def __len__(self):
        return self._n

    def view(self, first=0, n=None):
        """n columns from first on (None: all), as a buffer of two dimensions. Verifies their
        checksums. The view borrows from the index and keeps it open."""
        return _bitsift.matrix_columns(self._handle, *self._at, first, self._n - first if n is None else n)

    def __getitem__(self, i):
        """A memoryview of the bits of one column, as 64-bit numbers."""
        i = i + self._n if i < 0 else i
        if not 0 <= i < self._n:
            raise IndexError(i)
        return memoryview(self.view(i, 1))[0:1].cast("B").cast("Q")

    def popcounts(self, first=0, n=None):
        """Counts the set bits of each column. Returns a View of 32-bit numbers."""
        return _bitsift.matrix_popcounts(self._handle, *self._at, first, self._n - first if n is None else n)

    def densities(self):
        """The share of set bits of each column: a list."""
        return [count / self.lanes for count in memoryview(self.popcounts())]

    @property
    def density(self):
        """The share of bits that are set, over all columns."""
        return self.set_bits / (self._n * self.lanes) if self._n else 0.0


class Shard:
    """Up to 262,144 documents of a segment: a matrix with a row for each. is_lists: the documents
    have lists of terms instead of rows, and only exact columns.

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
        """The document of each row: a View of 64-bit numbers such as Hit.document."""
        return _bitsift.matrix_documents(self._handle, self.segment, self.number)

    def columns_of(self, term):
        """The numbers of a term's columns: four lists, of document, group, block and exact columns.
        Raises NotFoundError if the segment lacks the term."""
        return _bitsift.matrix_term_columns(self._handle, self.segment, self.number, term)


class Segment:
    """A segment of the index.

    documents: the number of documents, including deleted ones; deleted: the number of deleted
    documents; n_terms: the number of distinct words, bigrams and pairs of words; postings: the
    number of pairs of a document and one of its terms; words: the number of words of all documents;
    density: the share of set bits in hashed columns that was requested when the segment was built.
    """

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
        """A list of Treatment, in order of min_df."""
        return [Treatment(*_bitsift.matrix_treatment(self._handle, self.number, i)) for i in range(self._n_treatments)]

    def term(self, term):
        """The Term of a word as it is indexed, that is, folded. Raises NotFoundError if the segment
        lacks it."""
        return Term(*_bitsift.matrix_term(self._handle, self.number, term))

    def terms(self, start=""):
        """An iterator of all terms from start on, in bytewise order. Terms that are not words
        contain a byte 0xff."""
        first = 0
        while batch := _bitsift.matrix_terms(self._handle, self.number, start, 1000):
            for term in batch[first:]:
                yield Term(*term)
            if len(batch) < 1000:
                return
            start, first = batch[-1][0], 1


class Candidates(NamedTuple):
    """The rows of a shard that pass the columns: bit i % 64 of word i / 64 of bits is row i."""

    segment: int
    shard: int
    rows: int
    count: int
    sure: int
    """The number of candidates that certainly match."""
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
        """The documents that pass the columns, before any text is read: a list of Candidates, one
        for each shard. They include all matches and, if the query consists of words alone, nothing
        else. Options: those of Index.search that select documents."""
        with self._state.searcher() as searcher:
            return [Candidates(*one) for one in _bitsift.matrix_candidates(searcher, query, options)]

    def name(self, document):
        """The id of a document, by its number."""
        with self._state.searcher() as searcher:
            return _bitsift.matrix_name(searcher, document)[0]

    def is_deleted(self, document):
        """True if the document is deleted or out of range."""
        return _bitsift.matrix_is_deleted(self._state.handle, document)
