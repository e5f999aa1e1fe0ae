-- The operators that an index supports. pg_strategy.h has the same numbers.
CREATE OPERATOR CLASS text_ops DEFAULT FOR TYPE text USING bitsift AS
	OPERATOR 1 @@@ (text, bitsift_query),
	OPERATOR 2 ~~ (text, text),
	OPERATOR 3 ~~* (text, text),
	OPERATOR 4 ~ (text, text),
	OPERATOR 5 ~* (text, text),
	OPERATOR 6 <@> (text, bitsift_query) FOR ORDER BY pg_catalog.float_ops;
