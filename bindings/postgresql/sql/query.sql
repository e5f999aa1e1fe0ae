-- The types of queries and statistics, and the operators and functions on texts.
CREATE TYPE bitsift_query;
CREATE FUNCTION bitsift_query_in(cstring) RETURNS bitsift_query
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_query_out(bitsift_query) RETURNS cstring
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_query_recv(internal) RETURNS bitsift_query
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_query_send(bitsift_query) RETURNS bytea
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE TYPE bitsift_query (
	INPUT = bitsift_query_in, OUTPUT = bitsift_query_out, RECEIVE = bitsift_query_recv, SEND = bitsift_query_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended);
COMMENT ON TYPE bitsift_query IS 'a full-text query';

CREATE TYPE bitsift_stats;
CREATE FUNCTION bitsift_stats_in(cstring) RETURNS bitsift_stats
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_stats_out(bitsift_stats) RETURNS cstring
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_stats_recv(internal) RETURNS bitsift_stats
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_stats_send(bitsift_stats) RETURNS bytea
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE TYPE bitsift_stats (
	INPUT = bitsift_stats_in, OUTPUT = bitsift_stats_out, RECEIVE = bitsift_stats_recv, SEND = bitsift_stats_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = extended);
COMMENT ON TYPE bitsift_stats IS 'how frequent the words of a query are';

CREATE FUNCTION bitsift_stats_add(bitsift_stats, bitsift_stats) RETURNS bitsift_stats
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE OPERATOR + (LEFTARG = bitsift_stats, RIGHTARG = bitsift_stats, FUNCTION = bitsift_stats_add, COMMUTATOR = +);
CREATE AGGREGATE sum(bitsift_stats) (
	SFUNC = bitsift_stats_add, STYPE = bitsift_stats, COMBINEFUNC = bitsift_stats_add, PARALLEL = SAFE);

-- Queries with options.
CREATE FUNCTION bitsift_query(query text, stemmer text DEFAULT NULL, fold_accents boolean DEFAULT NULL,
	split_identifiers boolean DEFAULT NULL, "any" boolean DEFAULT false, stop text DEFAULT NULL, strict boolean DEFAULT false,
	statistics bitsift_stats DEFAULT NULL) RETURNS bitsift_query
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'bitsift_query_of';
CREATE FUNCTION bitsift_with_stats(query bitsift_query, statistics bitsift_stats) RETURNS bitsift_query
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';

-- The planner calls bitsift_support, which binds queries to the index of the searched column
-- (pg_bind.c). bitsift_bind does this for queries whose value is known only at execution.
CREATE FUNCTION bitsift_support(internal) RETURNS internal
	LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_bind(bitsift_query, bitsift_query) RETURNS bitsift_query
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_matchsel(internal, oid, internal, integer) RETURNS float8
	LANGUAGE C STRICT STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE FUNCTION bitsift_match(text, bitsift_query) RETURNS boolean
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE COST 5 SUPPORT bitsift_support AS 'MODULE_PATHNAME';
CREATE OPERATOR @@@ (LEFTARG = text, RIGHTARG = bitsift_query, FUNCTION = bitsift_match,
	RESTRICT = bitsift_matchsel, JOIN = contjoinsel);
COMMENT ON OPERATOR @@@ (text, bitsift_query) IS 'matches the query';

-- The score of a text, by the statistics that the query carries or else those of the column's
-- index. Higher is better. bitsift_distance is minus the score.
CREATE FUNCTION bitsift_score(text, bitsift_query) RETURNS float8
	LANGUAGE C STRICT STABLE PARALLEL RESTRICTED COST 20 SUPPORT bitsift_support AS 'MODULE_PATHNAME';
CREATE FUNCTION bitsift_distance(text, bitsift_query) RETURNS float8
	LANGUAGE C STRICT STABLE PARALLEL RESTRICTED COST 20 SUPPORT bitsift_support AS 'MODULE_PATHNAME';
CREATE OPERATOR <@> (LEFTARG = text, RIGHTARG = bitsift_query, FUNCTION = bitsift_distance);
COMMENT ON OPERATOR <@> (text, bitsift_query) IS 'minus the score: ORDER BY it has the best first';

CREATE FUNCTION bitsift_snippet(text, bitsift_query, mark_start text DEFAULT '<b>', mark_stop text DEFAULT '</b>',
	length integer DEFAULT 160) RETURNS text
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE COST 20 SUPPORT bitsift_support AS 'MODULE_PATHNAME';

CREATE FUNCTION bitsift_stats(index regclass, query bitsift_query) RETURNS bitsift_stats
	LANGUAGE C STRICT STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';

-- The k best rows of an index, or of all leaves of a partitioned one, that the user may see.
CREATE FUNCTION bitsift_top(index regclass, query bitsift_query, k integer DEFAULT 10)
	RETURNS TABLE (tableoid regclass, ctid tid, score float8)
	LANGUAGE C STRICT STABLE PARALLEL UNSAFE ROWS 10 AS 'MODULE_PATHNAME';
