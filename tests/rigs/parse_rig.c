/* parse_rig.c: see parse_rig.h. */
#include "tests/rigs/parse_rig.h"

#include "core/base/hash.h"

#include "query/language/query_format.h"

const struct field_name fields[N_FIELDS] = {{"title", 5},    {"body", 4}, {"a", 1},   {"a:b", 3},
                                            {"my field", 8}, {"", 0},     {"year", 4}};

struct bs_tokenizer *plain_words, *english_words;
static struct bs_term_table field_numbers;

int open_words(void **state)
{
	struct bs_tokenizer_options english = {.stem_language = "english"};
	for (uint32_t i = 0, number; i < N_FIELDS; i++)
		ok(bs_term_table_intern(&field_numbers, (const uint8_t *)fields[i].name,
		                        (uint32_t)fields[i].name_bytes,
		                        bs_hash_slot(fields[i].name, fields[i].name_bytes), &number,
		                        NULL, ERR));
	return bs_tokenizer_new(NULL, &plain_words, NULL) ||
	       bs_tokenizer_new(&english, &english_words, NULL);
}

int close_words(void **state)
{
	bs_tokenizer_free(plain_words);
	bs_tokenizer_free(english_words);
	bs_term_table_deinit(&field_numbers);
	return 0;
}

static bool has_values(void *context, uint32_t field)
{
	return field == BS_QUERY_ANY_FIELD || strcmp(fields[field].name, "year") == 0;
}

struct bs_query_options make_options(bool any)
{
	return (struct bs_query_options){.tokenizer = plain_words,
	                                 .fields = &field_numbers,
	                                 .longest_field_bytes = 8,
	                                 .has_values = has_values,
	                                 .any = any};
}

struct bs_query_tree *parse(const char *text, size_t text_bytes, bool any, size_t *error_byte,
                            struct bs_error *err)
{
	struct bs_query_options options = make_options(any);
	struct bs_query_tree *query;
	enum bs_status status = bs_query_parse((const uint8_t *)text, text_bytes, &options, &query,
	                                       error_byte, err);
	assert_true(status == BS_OK || status == BS_INVALID);
	assert_int_equal(status == BS_OK, query != NULL);
	return query;
}

struct bs_query_tree *must_parse(const char *text, bool any)
{
	struct bs_query_tree *query = parse(text, strlen(text), any, NULL, ERR);
	if (!query)
		fail_msg("%s: %s", text, said.text);
	return query;
}

char *format(const struct bs_query_tree *query)
{
	struct bs_buffer out = {0};
	ok(bs_query_format(query, &out, ERR));
	append_bytes(&out, "", 1);
	return (char *)out.data;
}
