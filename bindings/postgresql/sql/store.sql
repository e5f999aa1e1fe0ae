-- The access method, and functions that maintain an index.
\echo Use "CREATE EXTENSION bitsift" to load this file. \quit

CREATE FUNCTION bitsift_handler(internal) RETURNS index_am_handler
	LANGUAGE C AS 'MODULE_PATHNAME';
CREATE ACCESS METHOD bitsift TYPE INDEX HANDLER bitsift_handler;
COMMENT ON ACCESS METHOD bitsift IS 'full-text search and patterns by a bit-sliced signature matrix';

-- Flushes pending rows and merges the index into as few segments as possible.
CREATE FUNCTION bitsift_merge(index regclass) RETURNS void
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
-- Checks the whole index and returns its number of rows. Damage is an error.
CREATE FUNCTION bitsift_check(index regclass) RETURNS bigint
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
-- Figures for monitoring. generation: a number that changes with the files; files: their number;
-- pending_pages: pages of new rows, without those that a flush is just writing to files;
-- stored_bytes, plain_bytes: total size of the files, in pages and as searches read them.
CREATE FUNCTION bitsift_info(index regclass,
	OUT generation bigint, OUT files integer, OUT pending_pages integer, OUT stored_bytes bigint, OUT plain_bytes bigint)
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
