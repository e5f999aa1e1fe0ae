"""The matrix as memoryviews and, if numpy is installed, as arrays."""

import bitsift
import pytest
from conftest import made, raises

N = 4000


@pytest.fixture(scope="module")
def divided(tmp_path_factory):
    """Document i has a word for each divisor of i below 40, such as d7, and a word of its own."""
    documents = ((str(i), " ".join(f"d{d}" for d in range(1, 40) if i % d == 0) + f" own{i}") for i in range(1, N + 1))
    with made(documents, tmp_path_factory.mktemp("matrix") / "x.index") as index:
        yield index


def rows_of(words):
    return [64 * i + bit for i, word in enumerate(words) for bit in range(64) if word >> bit & 1]


def test_shapes(divided):
    (segment,) = divided.matrix.segments
    assert segment.documents == N and segment.deleted == 0 and segment.density == pytest.approx(0.3, abs=0.2)
    assert sum(shard.rows for shard in segment.shards) == N
    treatments = segment.treatments
    assert treatments[0].min_df == 0 and [t.min_df for t in treatments] == sorted(t.min_df for t in treatments)
    for shard in segment.shards:
        columns = shard.document_columns
        if shard.is_lists:
            assert len(columns) == 0
            continue
        assert columns.words * 64 >= columns.lanes == shard.rows and columns.rows_per_lane == 1
        counts = list(memoryview(columns.popcounts()))
        assert sum(counts) == columns.set_bits and len(counts) == len(columns)
        assert columns.densities()[0] == counts[0] / shard.rows
        assert len(rows_of(columns[0])) == counts[0] and rows_of(columns[-1]) == rows_of(memoryview(columns[len(columns) - 1]))
        with pytest.raises(IndexError):
            columns[len(columns)]
        raises(bitsift.InvalidError, lambda: columns.view(0, len(columns) + 1))
        assert memoryview(columns.view()).readonly


def test_columns_of_terms_hold_their_documents(divided):
    matrix = divided.matrix
    (segment,) = matrix.segments
    for term in ["d1", "d2", "d7", "d38", "own5"]:
        found = segment.term(term)
        wanted = set(divided.ids(term))
        assert found.df == len(wanted)
        passed = set()
        for shard in segment.shards:
            documents = memoryview(shard.documents())
            levels = [shard.document_columns, shard.group_columns, shard.block_columns, shard.exact_columns]
            rows = set(range(shard.rows))
            for columns, numbers in zip(levels, shard.columns_of(term)):
                for number in numbers:
                    lanes = set(rows_of(columns[number]))
                    rows = {row for row in rows if row // columns.rows_per_lane in lanes}
            passed |= {matrix.name(documents[row]) for row in rows}
        assert wanted <= passed
    raises(bitsift.NotFoundError, segment.term, "nowhere")


def test_terms(divided):
    (segment,) = divided.matrix.segments
    terms = list(segment.terms())
    assert len(terms) == segment.n_terms and [t.ordinal for t in terms] == list(range(len(terms)))
    assert next(segment.terms("d2")).term == "d2"
    assert sum(t.df for t in terms) == segment.postings


def test_candidates(divided):
    matrix = divided.matrix
    for query in ["d2 d3", "d7 OR d11", "d5 -d2", "own17"]:
        found = []
        for shard in matrix.candidates(query):
            documents = memoryview(matrix.segments[shard.segment].shards[shard.shard].documents())
            rows = rows_of(memoryview(shard.bits))
            assert len(rows) == shard.count == shard.sure
            found += [matrix.name(documents[row]) for row in rows]
        assert sorted(found) == sorted(divided.ids(query))
    assert sum(shard.sure for shard in matrix.candidates('"own17 d1"')) == 0
    raises(bitsift.InvalidError, matrix.candidates, "+++")
    hit = divided.search("own17")[0]
    assert matrix.name(hit.document) == "17" and not matrix.is_deleted(hit.document)


def test_numpy_reads_without_a_copy(divided):
    numpy = pytest.importorskip("numpy")
    matrix = divided.matrix
    (segment,) = matrix.segments
    for shard in segment.shards:
        columns = shard.exact_columns if shard.is_lists else shard.document_columns
        array = numpy.asarray(columns.view())
        assert array.dtype == numpy.uint64 and array.shape == (len(columns), columns.words) and not array.flags.writeable
        again = numpy.asarray(columns.view())
        # the same memory, not a copy
        assert not len(columns) or again.__array_interface__["data"] == array.__array_interface__["data"]
        bits = numpy.unpackbits(array.view(numpy.uint8), axis=1, bitorder="little")
        assert bits[:, shard.rows:].sum() == 0
        assert bits.sum(axis=1).tolist() == numpy.asarray(columns.popcounts()).tolist()
        assert numpy.asarray(shard.documents()).shape == (shard.rows,)


def test_views_outlive_the_index(tmp_path):
    with made(((str(i), f"a{i} b c{i % 10}") for i in range(3000)), tmp_path / "x.index") as index:
        shard = index.matrix.segments[0].shards[0]
        columns = shard.exact_columns if shard.is_lists else shard.document_columns
        view = memoryview(columns.view(0, 1))
        before = bytes(view)
        index.add_many((str(i), "others") for i in range(3000))
        index.commit()
    del index, shard, columns
    assert bytes(view) == before
