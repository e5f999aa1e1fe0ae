-- The access method, and what is done with an index of it.
\echo Use "CREATE EXTENSION bitsift" to load this file. \quit

CREATE FUNCTION bitsift_handler(internal) RETURNS index_am_handler
	LANGUAGE C AS 'MODULE_PATHNAME';
CREATE ACCESS METHOD bitsift TYPE INDEX HANDLER bitsift_handler;
COMMENT ON ACCESS METHOD bitsift IS 'full-text search and patterns by a bit-sliced signature matrix';

-- What waits becomes a part of the index proper, which is made of as few parts as can be.
CREATE FUNCTION bitsift_merge(index regclass) RETURNS void
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
-- Reads all of it; what is wrong is an error. How many rows it has.
CREATE FUNCTION bitsift_check(index regclass) RETURNS bigint
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
-- What it is made of, for those who watch it.
CREATE FUNCTION bitsift_info(index regclass,
	OUT generation bigint, OUT files integer, OUT pending_pages integer, OUT stored_bytes bigint, OUT plain_bytes bigint)
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
