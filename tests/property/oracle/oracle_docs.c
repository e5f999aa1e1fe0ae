/* oracle_docs.c: the documents of the naive search. See oracle.h. */
#include <search.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

uint32_t roll_between(uint32_t low, uint32_t high)
{
	return low + below(high - low + 1);
}

void oracle_init(struct oracle *oracle, const struct bs_tokenizer_options *options)
{
	*oracle = (struct oracle){.n_names = 0};
	naive_init(&oracle->naive, options);
}

void oracle_deinit(struct oracle *oracle)
{
	naive_deinit(&oracle->naive);
	kept_deinit(&oracle->kept);
	bs_buffer_deinit(&oracle->bytes);
	bs_vector_deinit(&oracle->docs);
	bs_vector_deinit(&oracle->fields);
	bs_vector_deinit(&oracle->tokens);
	bs_vector_deinit(&oracle->name_tokens);
	bs_vector_deinit(&oracle->terms);
	tdestroy(oracle->numbers, free);
}

size_t oracle_n_counted(const struct oracle *oracle)
{
	return bs_vector_n(&oracle->docs) - oracle->n_gone;
}

bool oracle_has_id(const struct oracle *oracle, size_t doc, const void *id, size_t id_bytes)
{
	const struct oracle_doc *has = &oracle->docs.items[doc];
	return has->id_bytes == id_bytes &&
	       memcmp(oracle->bytes.data + has->id_off, id, id_bytes) == 0;
}

/* ---- terms ---- */

/* The number of a term, in the tree oracle->numbers. */
struct numbered {
	uint32_t number;
	size_t n_bytes;
	const void *bytes;
};

static int compare_terms(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	if (x->n_bytes != y->n_bytes)
		return x->n_bytes < y->n_bytes ? -1 : 1;
	return memcmp(x->bytes, y->bytes, x->n_bytes);
}

uint32_t oracle_find_term(const struct oracle *oracle, const void *term, size_t term_bytes)
{
	const struct numbered wanted = {.n_bytes = term_bytes, .bytes = term};
	struct numbered **found = tfind(&wanted, &oracle->numbers, compare_terms);
	return found ? (*found)->number : ORACLE_NO_TERM;
}

static uint32_t intern(struct oracle *oracle, const uint8_t *bytes, size_t n_bytes)
{
	uint32_t number = oracle_find_term(oracle, bytes, n_bytes);
	if (number != ORACLE_NO_TERM)
		return number;
	number = (uint32_t)bs_vector_n(&oracle->terms);
	struct oracle_term term = {
		.term_off = oracle->bytes.used_bytes, .term_bytes = n_bytes, .last_doc = SIZE_MAX};
	append_bytes(&oracle->bytes, bytes, n_bytes);
	ok(bs_vector_append(&oracle->terms, &term, ERR));
	struct numbered *added = must_malloc(sizeof(*added) + n_bytes);
	*added = (struct numbered){number, n_bytes, memcpy(added + 1, bytes, n_bytes)};
	assert_non_null(tsearch(added, &oracle->numbers, compare_terms));
	return number;
}

/* ---- adding ---- */

int oracle_find_field(const struct oracle *oracle, const char *name)
{
	for (int i = 0; i < oracle->n_names; i++)
		if (strcmp(oracle->names[i], name) == 0)
			return i;
	return ORACLE_NO_NAME;
}

static int find_name(struct oracle *oracle, const char *name)
{
	int found = oracle_find_field(oracle, name);
	if (!*name || found != ORACLE_NO_NAME)
		return found;
	assert_true(oracle->n_names < ORACLE_MAX_NAMES);
	oracle->names[oracle->n_names] = name;
	return oracle->n_names++;
}

/* Returns the document being added, which begins where the last one ended. */
static struct oracle_doc next_doc(const struct oracle *oracle)
{
	struct oracle_doc doc = {0};
	size_t n = bs_vector_n(&oracle->docs);
	if (n > 0) {
		const struct oracle_doc *last = &oracle->docs.items[n - 1];
		doc.first_field = last->first_field + last->n_fields;
		doc.first_token = last->first_token + last->n_tokens;
	}
	return doc;
}

/* Appends the tokens of a text, which have this field number. Returns the number of positions. */
static uint32_t add_tokens(struct oracle *oracle, const void *text, size_t text_bytes, size_t field,
                           struct oracle_tokens *to)
{
	naive_analyze(&oracle->naive, text, text_bytes, &oracle->kept);
	for (size_t i = 0; i < kept_n(&oracle->kept); i++) {
		const struct kept_token *kept = kept_at(&oracle->kept, i);
		if (kept->is_bigram)
			continue;
		uint32_t number =
			intern(oracle, oracle->kept.terms.data + kept->term_off, kept->term_bytes);
		struct oracle_token token = {number, kept->position, field};
		ok(bs_vector_append(to, &token, ERR));
	}
	return oracle->kept.sum.n_positions;
}

void oracle_add_field(struct oracle *oracle, const char *name, const void *text, size_t text_bytes)
{
	size_t doc = bs_vector_n(&oracle->docs), first = bs_vector_n(&oracle->tokens);
	struct oracle_field field = {find_name(oracle, name), oracle->bytes.used_bytes, text_bytes};
	struct oracle_value value;
	append_bytes(&oracle->bytes, text, text_bytes);
	if (field.name >= 0)
		oracle->has_values[field.name] |= oracle_value_take(text, text_bytes, &value);
	oracle->length +=
		add_tokens(oracle, text, text_bytes, bs_vector_n(&oracle->fields), &oracle->tokens);
	ok(bs_vector_append(&oracle->fields, &field, ERR));
	for (size_t i = first; i < bs_vector_n(&oracle->tokens); i++) {
		struct oracle_term *term = &oracle->terms.items[oracle->tokens.items[i].term];
		term->df += term->last_doc != doc;
		term->last_doc = doc;
	}
}

size_t oracle_end_doc(struct oracle *oracle, const void *id, size_t id_bytes)
{
	struct oracle_doc doc = next_doc(oracle);
	doc.id_off = oracle->bytes.used_bytes;
	doc.id_bytes = id_bytes;
	doc.n_fields = bs_vector_n(&oracle->fields) - doc.first_field;
	doc.n_tokens = bs_vector_n(&oracle->tokens) - doc.first_token;
	doc.length = oracle->length;
	oracle->length = 0;
	append_bytes(&oracle->bytes, id, id_bytes);
	ok(bs_vector_append(&oracle->docs, &doc, ERR));
	oracle->n_positions += doc.length;
	return bs_vector_n(&oracle->docs) - 1;
}

void oracle_place_doc(struct oracle *oracle, const char *path, size_t name_off, int64_t mtime_s)
{
	struct oracle_doc *doc = &oracle->docs.items[bs_vector_n(&oracle->docs) - 1];
	doc->path_off = oracle->bytes.used_bytes;
	doc->name_off = doc->path_off + name_off;
	doc->first_name = bs_vector_n(&oracle->name_tokens);
	doc->mtime_s = mtime_s;
	append_bytes(&oracle->bytes, path, strlen(path) + 1);
	oracle->has_files |= path[name_off] != '\0';
	add_tokens(oracle, path + name_off, strlen(path + name_off), SIZE_MAX,
	           &oracle->name_tokens);
	doc->n_names = bs_vector_n(&oracle->name_tokens) - doc->first_name;
}

/* ---- forgetting ---- */

void oracle_forget(struct oracle *oracle, size_t doc)
{
	struct oracle_doc *gone = &oracle->docs.items[doc];
	/* No document has this number; it marks terms whose df was already reduced for this
	 * document. */
	size_t mark = bs_vector_n(&oracle->docs) + doc;
	assert_true(gone->is_replaced && !gone->is_gone);
	gone->is_gone = true;
	oracle->n_gone++;
	oracle->n_positions -= gone->length;
	for (size_t i = 0; i < gone->n_tokens; i++) {
		struct oracle_term *term =
			&oracle->terms.items[oracle->tokens.items[gone->first_token + i].term];
		term->df -= term->last_doc != mark;
		term->last_doc = mark;
	}
}

void oracle_refind_values(struct oracle *oracle)
{
	memset(oracle->has_values, 0, sizeof(oracle->has_values));
	for (size_t d = 0; d < bs_vector_n(&oracle->docs); d++) {
		const struct oracle_doc *doc = &oracle->docs.items[d];
		for (size_t i = 0; i < doc->n_fields && !doc->is_gone; i++) {
			const struct oracle_field *field =
				&oracle->fields.items[doc->first_field + i];
			struct oracle_value value;
			if (field->name >= 0)
				oracle->has_values[field->name] |=
					oracle_value_take(oracle->bytes.data + field->text_off,
				                          field->text_bytes, &value);
		}
	}
}
