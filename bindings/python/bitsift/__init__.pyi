import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, final, overload

from typing_extensions import Self, Unpack

from ._results import BuildReport as BuildReport, CheckReport as CheckReport, DeleteReport as DeleteReport
from ._results import GrepReport as GrepReport, IndexStats as IndexStats, SearchStats as SearchStats, Source as Source

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Text = str | bytes | int | float | None | Sequence[Any] | Mapping[str, Any]
_Document = str | bytes | Mapping[str, _Text]
_Texts = dict[str, str | list[str]]
_Provider = Callable[[str], _Document | None]
_Weights = Mapping[str, int] | Sequence[str]
_Strings = Sequence[str] | str

class _Index(Protocol):
    @property
    def _handle(self) -> Any: ...

__version__: str

class Error(Exception):
    status: str
    position: int | None
    caret: str | None

class InvalidError(Error, ValueError): ...
class NoMemoryError(Error, MemoryError): ...
class IoError(Error, OSError): ...
class NotFoundError(Error, FileNotFoundError): ...
class CorruptError(Error, RuntimeError): ...
class UnsupportedError(Error, RuntimeError): ...
class BusyError(Error, BlockingIOError): ...
class StoppedError(Error, RuntimeError): ...
class UntrustedError(Error, PermissionError): ...
class DeadlineError(Error, TimeoutError): ...

def kernels() -> list[str]: ...
def locate() -> str: ...

@final
class Memory:
    def files(self) -> dict[str, bytes]: ...
    def put(self, name: str, bytes: bytes, /) -> None: ...
    def remove(self, name: str, /) -> None: ...
    def copy(self) -> Memory: ...

@final
class Cancel:
    def set(self) -> None: ...
    def clear(self) -> None: ...
    def is_set(self) -> bool: ...

@final
class Analyzer:
    cut: Callable[[str], Iterable[tuple[str, int, int]]]
    def __init__(self, name: str, cut: Callable[[str], Iterable[tuple[str, int, int]]]) -> None: ...

@final
class Statistics:
    docs: int
    positions: int
    words: dict[str, int]
    fields: dict[str, int]
    def __init__(self, *, docs: int = 0, positions: int = 0, words: Mapping[str, int] = {}, fields: Mapping[str, int] = {}) -> None: ...
    def __add__(self, other: Statistics, /) -> Statistics: ...
    def parts(self) -> dict[str, Any]: ...

@final
class Place(tuple[Any, ...]):
    field: str
    text: int
    line: int
    column: int
    start: int
    stop: int

@final
class Match(tuple[Any, ...]):
    places: list[Place]
    length: int

@final
class Query:
    notices: list[str]
    def __init__(self, query: str | bytes, *, index: _Index | None = None, any: bool = False, strict: bool = False, stop: str | None = None,
                 stop_words: str | bytes | None = None, stem: str | None = None, fold_accents: bool = False, split_identifiers: bool = False,
                 weights: _Weights | None = None, fields: _Strings | None = None, file_names: bool = False,
                 deadline: float | None = None, cancel: Cancel | None = None) -> None: ...
    def match(self, document: _Document, name: str | bytes | None = None) -> Match | None: ...
    def score(self, document: _Document, statistics: Statistics, name: str | bytes | None = None) -> float: ...

@final
class Passage(tuple[Any, ...]):
    line: int
    column: int
    start: int
    stop: int
    field: str
    text: str

@final
class Line(tuple[Any, ...]):
    path: str
    number: int
    text: str | None
    matches: list[tuple[int, int]]
    offset: int
    is_context: bool
    enclosing: tuple[int, str] | None

@final
class Hit:
    id: str
    path: str
    name: str
    value: str | None
    is_date: bool
    score: float
    rank: int
    document: int
    @property
    def snippet(self) -> str | None: ...
    @property
    def is_changed(self) -> bool: ...
    @property
    def passages(self) -> list[Passage]: ...
    @property
    def best(self) -> Passage | None: ...

class Hits(Sequence[Hit], Iterator[Hit]):
    total: int
    at_least: bool
    unreadable: int
    changed: int
    gone: int
    partial: bool
    notices: list[str]
    stats: SearchStats
    explanation: str | None
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, i: int) -> Hit: ...
    @overload
    def __getitem__(self, i: slice) -> list[Hit]: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def __next__(self) -> Hit: ...

class _Ending(TypedDict, total=False):
    deadline: float | None
    cancel: Cancel | None

class _Matching(_Ending, total=False):
    any: bool
    strict: bool
    stop: str | None
    stop_words: str | bytes | None
    feedback: int
    like: str | bytes | None
    like_text: str | bytes | None
    brute: bool
    no_stat: bool
    verbose: bool
    threads: int
    globs: _Strings | None
    types: _Strings | None
    not_types: _Strings | None
    places: Sequence[_Path] | _Path | None
    newer: str | None
    older: str | None
    date_field: str | None
    partial: bool
    memory_bytes: int

class _Listing(_Matching, total=False):
    offset: int

class _Searching(_Listing, total=False):
    statistics: Statistics | None
    approx: bool
    exhaustive: bool
    sort: str | None
    descending: bool
    snippets: bool
    columns: int
    mark: tuple[str, str]
    suggest: bool
    explain: bool

class _Asking(_Ending, total=False):
    any: bool
    strict: bool
    stop: str | None
    stop_words: str | bytes | None
    file_names: bool

class _Running(_Ending, total=False):
    wait: bool
    memory_bytes: int
    threads: int
    texts: _Provider | None
    analyzer: Analyzer | None
    log: logging.Logger | str | None
    slow: float | None
    progress: Callable[[BuildReport], object] | None

class _Building(_Running, total=False):
    forget: Sequence[_Path] | _Path
    words: bool
    grams: bool
    stem: str | None
    fold_accents: bool
    split_identifiers: bool
    weights: _Weights | None
    hidden: bool
    no_ignore: bool
    binary_as_text: bool
    max_document_bytes: int
    id_field: str | None
    text_fields: _Strings | None
    globs: _Strings | None
    records: _Strings | None
    no_records: bool
    store: bool
    density: float
    rebuild: bool
    strict: bool
    names_hidden: bool
    shared: bool

class _Deleting(_Ending, total=False):
    any: bool
    undo: bool
    dry_run: bool
    wait: bool
    confirm: Callable[[int], object] | None
    memory: Memory | None
    trust: bool
    texts: _Provider | None
    analyzer: Analyzer | None
    log: logging.Logger | str | None

class _Grepping(_Ending, total=False):
    ignore_case: bool
    smart_case: bool
    fixed: bool
    word: bool
    line: bool
    multiline: bool
    dot_all: bool
    crlf: bool
    no_unicode: bool
    pcre2: bool
    brute: bool
    invert: bool
    ands: _Strings | None
    nots: _Strings | None
    by_file: bool
    hidden: bool
    no_ignore: bool
    ignore_files: Sequence[_Path] | _Path | None
    follow: bool
    one_file_system: bool
    max_depth: int | None
    max_file_bytes: int | None
    globs: _Strings | None
    iglobs: _Strings | None
    types: _Strings | None
    not_types: _Strings | None
    type_adds: _Strings | None
    encoding: str | None
    text: bool
    search_zip: bool
    preprocessor: _Path | None
    preprocessor_globs: _Strings | None
    sort: Literal["path", "modified", "accessed", "created"]
    descending: bool
    before: int
    after: int
    passthru: bool
    enclosing: bool
    max_count: int
    max_results: int
    cursor: str | None
    files: bool
    files_without: bool
    list_files: bool
    candidates: bool
    no_stat: bool
    try_index: bool
    kernel: str | None
    threads: int
    partial: bool
    log: logging.Logger | str | None
    slow: float | None
    trust: bool

class Index:
    @classmethod
    def open(cls, path: _Path | None = None, *, memory: Memory | None = None, fresh: bool = False, kernel: str | None = None,
             trust: bool = False, texts: _Provider | None = None, analyzer: Analyzer | None = None, log: logging.Logger | str | None = None,
             slow: float | None = None, deadline: float | None = None, cancel: Cancel | None = None, wait: bool = False, threads: int = 0,
             memory_bytes: int = 0) -> Self: ...
    @classmethod
    def create(cls, path: _Path | None = None, *, memory: Memory | None = None, stem: str | None = None, fold_accents: bool = False,
               split_identifiers: bool = False, weights: _Weights | None = None, density: float = 0.0, store: bool = True,
               checksums: bool = True, texts: _Provider | None = None, analyzer: Analyzer | None = None, kernel: str | None = None,
               trust: bool = False, log: logging.Logger | str | None = None, slow: float | None = None, wait: bool = False, threads: int = 0,
               memory_bytes: int = 0, exist_ok: bool = False) -> Self: ...
    @property
    def _handle(self) -> Any: ...
    @property
    def path(self) -> str | bytes | None: ...
    @property
    def memory(self) -> Memory | None: ...
    @property
    def matrix(self) -> Matrix: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: str | bytes) -> bool: ...
    def search(self, query: str | bytes, n: int = 10, **options: Unpack[_Searching]) -> Hits: ...
    def count(self, query: str | bytes, **options: Unpack[_Matching]) -> int: ...
    def ids(self, query: str | bytes, **options: Unpack[_Listing]) -> list[str]: ...
    def statistics(self, query: str | bytes, *, any: bool = False, deadline: float | None = None,
                   cancel: Cancel | None = None) -> Statistics: ...
    def query(self, query: str | bytes, **options: Unpack[_Asking]) -> Query: ...
    def document(self, id: str | bytes | int) -> _Texts: ...
    def add(self, id: str | bytes, document: _Document) -> None: ...
    def add_many(self, documents: Iterable[tuple[str | bytes, _Document] | dict[str, Any]]) -> int: ...
    def replace(self, id: str | bytes, document: _Document) -> None: ...
    def delete(self, id: str | bytes) -> bool: ...
    def delete_query(self, query: str | bytes) -> int: ...
    def commit(self, *, deadline: float | None = None, cancel: Cancel | None = None) -> BuildReport: ...
    def rollback(self) -> None: ...
    def writer(self) -> Writer: ...
    def refresh(self) -> bool: ...
    def update(self, *sources: _Path, **options: Unpack[_Building]) -> BuildReport: ...
    def grep(self, pattern: str | bytes | Iterable[str], *paths: _Path, **options: Unpack[_Grepping]) -> Grep: ...
    def stats(self) -> IndexStats: ...

class Writer:
    report: BuildReport | None
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
    def add(self, id: str | bytes, document: _Document) -> None: ...
    def add_many(self, documents: Iterable[tuple[str | bytes, _Document] | dict[str, Any]]) -> int: ...
    def replace(self, id: str | bytes, document: _Document) -> None: ...
    def delete(self, id: str | bytes) -> bool: ...
    def delete_query(self, query: str | bytes) -> int: ...
    def rollback(self) -> None: ...

def build(path: _Path | None, sources: Iterable[_Path] | _Path = (), *, memory: Memory | None = None, trust: bool = False,
          **options: Unpack[_Building]) -> BuildReport: ...
def compact(path: _Path | None, *, memory: Memory | None = None, trust: bool = False, **options: Unpack[_Running]) -> BuildReport: ...
def check(path: _Path | None = None, *, memory: Memory | None = None, trust: bool = False,
          progress: Callable[[int, int], object] | None = None, **options: Unpack[_Ending]) -> CheckReport: ...
def delete(path: _Path | None, ids: Sequence[str | bytes] | str | bytes | None = None, query: str | bytes | None = None,
           **options: Unpack[_Deleting]) -> DeleteReport: ...

@final
class Grep(Iterator[Line]):
    @property
    def result(self) -> GrepReport | None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Line: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

def grep(pattern: str | bytes | Iterable[str], *paths: _Path, index: _Path | None = None, **options: Unpack[_Grepping]) -> Grep: ...

@final
class View:
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Treatment(NamedTuple):
    min_df: int
    columns: tuple[int, int, int]
    has_false_positives: bool

class Term(NamedTuple):
    term: str
    ordinal: int
    df: int
    treatment: int

class Candidates(NamedTuple):
    segment: int
    shard: int
    rows: int
    count: int  # type: ignore[assignment]
    sure: int
    bits: View

class Columns:
    words: int
    lanes: int
    rows_per_lane: int
    set_bits: int
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> memoryview: ...
    def view(self, first: int = 0, n: int | None = None) -> View: ...
    def popcounts(self, first: int = 0, n: int | None = None) -> View: ...
    def densities(self) -> list[float]: ...
    @property
    def density(self) -> float: ...

class Shard:
    segment: int
    number: int
    rows: int
    is_lists: bool
    document_columns: Columns
    group_columns: Columns
    block_columns: Columns
    exact_columns: Columns
    def documents(self) -> View: ...
    def columns_of(self, term: str | bytes) -> list[list[int]]: ...

class Segment:
    number: int
    documents: int
    deleted: int
    n_terms: int
    postings: int
    words: int
    density: float
    @property
    def shards(self) -> list[Shard]: ...
    @property
    def treatments(self) -> list[Treatment]: ...
    def term(self, term: str | bytes) -> Term: ...
    def terms(self, start: str = "") -> Iterator[Term]: ...

class Matrix:
    @property
    def segments(self) -> list[Segment]: ...
    def candidates(self, query: str | bytes, **options: Unpack[_Matching]) -> list[Candidates]: ...
    def name(self, document: int) -> str: ...
    def is_deleted(self, document: int) -> bool: ...
