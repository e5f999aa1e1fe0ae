import os
from typing_extensions import Buffer as _Buffer
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, TypedDict, overload

from typing_extensions import Self, Unpack

_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
_Text = str | bytes | int | float | None | Sequence[Any] | Mapping[str, Any]
_Document = str | bytes | Mapping[str, _Text]
_Texts = dict[str, str | list[str]]
_Provider = Callable[[str], _Document | None]

__version__: str

class Error(Exception):
    status: str
    position: int | None

class InvalidError(Error, ValueError): ...
class NoMemoryError(Error, MemoryError): ...
class IOFailure(Error, OSError): ...
class NotFoundError(Error, FileNotFoundError): ...
class CorruptError(Error, RuntimeError): ...
class UnsupportedError(Error, RuntimeError): ...
class BusyError(Error, BlockingIOError): ...
class StoppedError(Error, RuntimeError): ...
class UntrustedError(Error, PermissionError): ...
class DeadlineError(Error, TimeoutError): ...

def kernels() -> list[str]: ...
def locate() -> str: ...

class Memory:
    def files(self) -> dict[str, bytes]: ...
    def put(self, name: str, bytes: bytes, /) -> None: ...

class Passage(tuple[Any, ...]):
    line: int
    column: int
    start: int
    stop: int
    field: str
    text: str

class Line(tuple[Any, ...]):
    path: str
    number: int
    text: str | None
    matches: list[tuple[int, int]]
    offset: int
    is_context: bool

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

class Hits(Sequence[Hit], Iterator[Hit]):  # type: ignore[misc]
    total: int
    at_least: bool
    unreadable: int
    partial: bool
    notices: list[str]
    stats: dict[str, int]
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, i: int) -> Hit: ...
    @overload
    def __getitem__(self, i: slice) -> list[Hit]: ...
    def __iter__(self) -> Iterator[Hit]: ...
    def __next__(self) -> Hit: ...

class _Matching(TypedDict, total=False):
    any: bool
    strict: bool
    stop: str | None
    stop_words: str | bytes | None
    feedback: int
    like: str | None
    like_text: str | bytes | None
    brute: bool
    no_stat: bool
    threads: int
    globs: Sequence[str] | str | None
    types: Sequence[str] | str | None
    not_types: Sequence[str] | str | None
    places: Sequence[str] | str | None
    newer: str | None
    older: str | None
    date_field: str | None
    deadline: float
    partial: bool
    memory_bytes: int

class _Listing(_Matching, total=False):
    offset: int

class _Searching(_Listing, total=False):
    approx: bool
    exhaustive: bool
    sort: str | None
    descending: bool
    snippets: bool
    columns: int
    mark: tuple[str, str]
    suggest: bool

class _Building(TypedDict, total=False):
    forget: Sequence[_Path]
    words: bool
    grams: bool
    stem: str | None
    fold_accents: bool
    split_identifiers: bool
    weights: Sequence[str] | None
    hidden: bool
    no_ignore: bool
    id_field: str | None
    text_fields: Sequence[str] | None
    globs: Sequence[str] | None
    records: Sequence[str] | None
    store: bool
    density: float
    rebuild: bool
    strict: bool
    wait: bool
    memory_bytes: int
    threads: int
    deadline: float

class _Grepping(TypedDict, total=False):
    ignore_case: bool
    smart_case: bool
    fixed: bool
    word: bool
    line: bool
    multiline: bool
    invert: bool
    pcre2: bool
    hidden: bool
    no_ignore: bool
    follow: bool
    globs: Sequence[str] | None
    types: Sequence[str] | None
    not_types: Sequence[str] | None
    before: int
    after: int
    max_count: int
    files: bool
    no_stat: bool
    brute: bool
    threads: int
    trust: bool
    text: bool
    encoding: str | None
    ands: Sequence[str] | None
    nots: Sequence[str] | None
    by_file: bool
    candidates: bool
    deadline: float | None

class Index:
    @classmethod
    def open(cls, path: _Path | None = None, *, memory: Memory | None = None, fresh: bool = False, kernel: str | None = None,
             trust: bool = False, texts: _Provider | None = None, wait: bool = False, threads: int = 0, memory_bytes: int = 0) -> Self: ...
    @classmethod
    def create(cls, path: _Path | None = None, *, memory: Memory | None = None, stem: str | None = None, fold_accents: bool = False,
               split_identifiers: bool = False, weights: Mapping[str, int] | Sequence[str] | None = None, density: float = 0.0,
               store: bool = True, texts: _Provider | None = None, kernel: str | None = None, trust: bool = False, wait: bool = False,
               threads: int = 0, memory_bytes: int = 0, exist_ok: bool = False) -> Self: ...
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
    def __contains__(self, id: str) -> bool: ...
    def search(self, query: str | bytes, n: int = 10, **options: Unpack[_Searching]) -> Hits: ...
    def count(self, query: str | bytes, **options: Unpack[_Matching]) -> int: ...
    def ids(self, query: str | bytes, **options: Unpack[_Listing]) -> list[str]: ...
    def document(self, id: str | bytes) -> _Texts: ...
    def add(self, id: str | bytes, document: _Document) -> None: ...
    def add_many(self, documents: Iterable[tuple[str | bytes, _Document] | dict[str, Any]]) -> int: ...
    def replace(self, id: str | bytes, document: _Document) -> None: ...
    def delete(self, id: str | bytes) -> bool: ...
    def delete_query(self, query: str | bytes) -> int: ...
    def commit(self) -> dict[str, Any]: ...
    def rollback(self) -> None: ...
    def writer(self) -> Writer: ...
    def refresh(self) -> bool: ...
    def update(self, *sources: _Path, **options: Unpack[_Building]) -> dict[str, Any]: ...
    def grep(self, pattern: str | bytes | Iterable[str], *paths: _Path, **options: Unpack[_Grepping]) -> Grep: ...
    def stats(self) -> dict[str, Any]: ...

class Writer:
    report: dict[str, Any] | None
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...
    def add(self, id: str | bytes, document: _Document) -> None: ...
    def add_many(self, documents: Iterable[tuple[str | bytes, _Document] | dict[str, Any]]) -> int: ...
    def replace(self, id: str | bytes, document: _Document) -> None: ...
    def delete(self, id: str | bytes) -> bool: ...
    def delete_query(self, query: str | bytes) -> int: ...
    def rollback(self) -> None: ...

def build(path: _Path | None, sources: Iterable[_Path] = (), *, memory: Memory | None = None, trust: bool = False,
          **options: Unpack[_Building]) -> dict[str, Any]: ...
def compact(path: _Path | None, *, memory: Memory | None = None, wait: bool = False, memory_bytes: int = 0, threads: int = 0,
            trust: bool = False, deadline: float = 0) -> dict[str, Any]: ...
def check(path: _Path | None = None, *, memory: Memory | None = None, trust: bool = False) -> dict[str, int]: ...

class Grep(Iterator[Line]):
    def __init__(self, pattern: str | bytes | Iterable[str], paths: Iterable[_Path] = (), *, index: _Path | None = None,
                 **options: Unpack[_Grepping]) -> None: ...
    @property
    def result(self) -> dict[str, Any] | None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Line: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

def grep(pattern: str | bytes | Iterable[str], *paths: _Path, index: _Path | None = None, **options: Unpack[_Grepping]) -> Grep: ...

class View(_Buffer): ...

class Treatment(NamedTuple):
    min_df: int
    columns: tuple[int, int, int]
    has_exceptions: bool

class Term(NamedTuple):
    term: str
    ordinal: int
    df: int
    treatment: int

class Candidates(NamedTuple):
    segment: int
    slab: int
    rows: int
    count: int
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

class Slab:
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
    def slabs(self) -> list[Slab]: ...
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
