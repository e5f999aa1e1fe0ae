"""Classes of results: reports of runs and costs of searches. src/base/py_convert.c creates them
from structs of the library."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The result of a build, refresh, compaction or commit; also passed to its progress
    function."""

    docs: int
    """Searchable documents at the end of the run."""
    indexed: int
    """Documents read and indexed by this run."""
    replaced: int
    """Indexed records that were replaced by a later record with the same id."""
    kept_out: int
    """Indexed documents that are not searchable, because delete() deleted them."""
    unchanged: int
    """Documents of the index that have not changed."""
    renewed: int
    """Documents indexed again without a change."""
    changed: int
    """Documents whose text changed."""
    removed: int
    """Documents removed because their file, record or source is gone."""
    unread: int
    """Files, folders and sources that could not be read."""
    skipped: int
    """Files, records and sources that were skipped."""
    text_bytes: int
    """Bytes of text of the documents that this run indexed."""
    written_bytes: int
    """Bytes of the segments of the documents that this run indexed."""
    index_bytes: int
    """Bytes of the whole index."""
    segments: int
    """Segments of the whole index."""
    terms: int
    """Distinct words of the documents that this run indexed, summed over its segments."""
    postings: int
    """Pairs of a document and a distinct word, of the documents that this run indexed."""
    excluded: int
    """Documents of the sources that are not searchable, because delete() deleted them."""
    compacted: int
    """Segments merged."""
    moved: int
    """Documents copied by merging."""
    stayed: int
    """Documents left out of merging, because they have changed or need too much memory."""
    step: str
    """The step of the run: "look", "read" or "write"."""
    step_done: int
    step_total: int
    """Files, bytes or documents of the step; 0: unknown."""
    seconds: float
    committed: bool
    """Something changed, so a commit was made."""
    warning: str
    """Housekeeping that was not done, and why; or empty."""
    left_out: dict[str, int]
    """The number of skipped files, records and sources by reason."""
    notices: list[str]
    """A line for each skipped file, record or source, and other messages."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The amounts that check() read."""

    docs: int
    segments: int
    bytes: int


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """The result of delete()."""

    deleted: int
    """The number of documents deleted or, with undo, restored; with dry_run, of those that would
    be."""
    documents: list[str]
    """The ids of these documents."""
    unreadable: int
    """Documents that may match but cannot be read; they are not deleted."""
    to_read: int
    """With undo: restored documents that the next build reads."""
    lost: int
    """With undo: restored documents that have to be added again."""
    notices: list[str]


@dataclass(frozen=True, slots=True)
class GrepReport:
    """The result of a Grep, once it is over."""

    files: int
    files_with_match: int
    ruled_out: int
    """Files that the index ruled out."""
    unread: int
    """Files that could not be searched."""
    read_bytes: int
    partial: bool
    """A limit ended the search before everything was searched."""
    shown: int
    """With max_results: the number of results that were returned."""
    found: int
    """With max_results: the number of all results."""
    cursor: str | None
    """With max_results: where to resume; None: there are no more results."""
    seconds: float
    notices: list[str]


@dataclass(frozen=True, slots=True)
class SearchStats:
    """The cost of a search: nanoseconds of its stages, and what they read."""

    total_ns: int
    parse_ns: int
    plan_ns: int
    scan_ns: int
    rank_ns: int
    verify_ns: int
    lines_read: int
    """Lines of columns that were read, of 64 bytes each."""
    document_lines: int
    """Those of lines_read that belong to document columns or exact columns."""
    candidates: int
    """Documents that passed the columns and are not deleted."""
    scored: int
    """Documents whose scores were computed from the index."""
    verified: int
    """Documents whose text was read."""
    false_positives: int
    """Documents of `verified` that do not match."""
    bytes_verified: int


@dataclass(frozen=True, slots=True)
class Source:
    """A source of an index."""

    kind: str
    """"folder", "file", "collection" or "stdin"."""
    label: str
    """The name that the user gave."""
    path: str


@dataclass(frozen=True, slots=True)
class IndexStats:
    """The contents of an open index."""

    docs: int
    deleted: int
    segments: int
    generation: int
    """The number of the commit."""
    is_other_unicode: bool
    """The index was made with other tokenizer rules, so the next build indexes everything again."""
    icu_version: str
    unicode_version: str
    kernel: str
    """The SIMD code in use."""
    unread: int
    """With open(fresh=True): files, folders and sources that could not be read."""
    unfollowed: int
    """With open(fresh=True): sources that are not followed without trust=True."""
    sources: list[Source]
    notices: list[str]
    terms: int
    postings: int
    words: int
