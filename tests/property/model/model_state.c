/* model_state.c: documents and commits. See model.h. */
#include "tests/property/model/model.h"
#include "tests/rigs/test.h"

/* ---- lists of documents ---- */

static void *copy_bytes(const void *bytes, size_t n_bytes)
{
	char *copy = must_malloc(n_bytes + 1);
	if (n_bytes)
		memcpy(copy, bytes, n_bytes);
	copy[n_bytes] = '\0';
	return copy;
}

static void docs_add(struct model_docs *docs, const struct model_doc *doc)
{
	docs->at = realloc(docs->at, (docs->n + 1) * sizeof(*docs->at));
	assert_non_null(docs->at);
	struct model_doc *copy = &docs->at[docs->n++];
	*copy = *doc;
	copy->id = copy_bytes(doc->id, strlen(doc->id));
	copy->raw = copy_bytes(doc->raw, doc->raw_bytes);
	copy->words = copy_bytes(doc->words, doc->n_words);
}

static void docs_drop(struct model_docs *docs, size_t i)
{
	free(docs->at[i].id);
	free(docs->at[i].raw);
	free(docs->at[i].words);
	docs->n--;
	memmove(&docs->at[i], &docs->at[i + 1], (docs->n - i) * sizeof(*docs->at));
}

void docs_deinit(struct model_docs *docs)
{
	while (docs->n > 0)
		docs_drop(docs, docs->n - 1);
	free(docs->at);
	docs->at = NULL;
}

struct model_doc *docs_find(const struct model_docs *docs, uint32_t source, const char *id)
{
	for (size_t i = 0; i < docs->n; i++)
		if (docs->at[i].source == source && strcmp(docs->at[i].id, id) == 0)
			return &docs->at[i];
	return NULL;
}

static bool is_same_raw(const struct model_doc *a, const struct model_doc *b)
{
	return a->raw_bytes == b->raw_bytes && memcmp(a->raw, b->raw, a->raw_bytes) == 0;
}

/* ---- words ---- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Appends the words of a text of only ASCII small letters, digits and separators. */
static void add_words(struct model_doc *doc, const char *text, size_t n_bytes)
{
	doc->words = realloc(doc->words, doc->n_words + n_bytes + 1);
	assert_non_null(doc->words);
	for (size_t i = 0; i < n_bytes;) {
		size_t start = i;
		uint32_t number = 0;
		bool is_ours = text[i] == 'w';
		if (!is_word_byte(text[i])) {
			i++;
			continue;
		}
		for (i++; i < n_bytes && is_word_byte(text[i]); i++) {
			is_ours &= text[i] >= '0' && text[i] <= '9' && i - start < 3;
			number = number * 10 + (uint32_t)(text[i] - '0');
		}
		doc->words[doc->n_words++] = (uint8_t)(is_ours && i - start > 1 ? number : 100);
	}
}

/* ---- records ---- */

/* Skips spaces. If the next byte is `wanted`, skips it and returns true. */
static bool take(const char **at, const char *end, char wanted)
{
	while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r'))
		++*at;
	if (*at == end || **at != wanted)
		return false;
	++*at;
	return true;
}

/* Parses a string without escapes; *text_out points after its opening quote. */
static bool take_string(const char **at, const char *end, const char **text_out, size_t *n_out)
{
	if (!take(at, end, '"'))
		return false;
	*text_out = *at;
	while (*at < end && **at != '"' && (unsigned char)**at >= ' ')
		++*at;
	*n_out = (size_t)(*at - *text_out);
	return *at < end && *(*at)++ == '"';
}

static bool take_number(const char **at, const char *end, const char **text_out, size_t *n_out)
{
	*text_out = *at;
	while (*at < end && **at >= '0' && **at <= '9')
		++*at;
	*n_out = (size_t)(*at - *text_out);
	return *n_out > 0;
}

/* Parses a line as a record of the form that this test writes. False: not a record. */
static bool read_record(const char *line, size_t n_bytes, const char *by_line,
                        struct model_doc *doc, bool *has_id_out)
{
	const char *at = line, *end = line + n_bytes, *name, *value;
	size_t name_bytes, value_bytes;
	unsigned n_texts = 0;
	*has_id_out = false;
	doc->id = copy_bytes(by_line, strlen(by_line));
	if (!take(&at, end, '{'))
		return false;
	do {
		bool is_string = false;
		if (!take_string(&at, end, &name, &name_bytes) || !take(&at, end, ':'))
			return false;
		is_string = take_string(&at, end, &value, &value_bytes);
		if (!is_string && !take_number(&at, end, &value, &value_bytes))
			return false;
		if (name_bytes == 2 && memcmp(name, "id", 2) == 0) {
			free(doc->id);
			doc->id = copy_bytes(value, value_bytes);
			*has_id_out = true;
		} else if (is_string) {
			add_words(doc, "", 0);
			if (n_texts++ > 0) {
				doc->words = realloc(doc->words, doc->n_words + 1);
				doc->words[doc->n_words++] = MODEL_BREAK;
			}
			add_words(doc, value, value_bytes);
		}
	} while (take(&at, end, ','));
	if (!take(&at, end, '}'))
		return false;
	take(&at, end, '\n'); /* skips spaces */
	return at == end && n_texts > 0;
}

/* Adds the records of a collection in their order. A record replaces earlier records with its id,
 * including those that were in docs before the call. prefix: prepended to ids that records contain.
 * A record without an id has the id LABEL:LINE. */
static void read_records(const char *label, const char *prefix, uint32_t source, const char *bytes,
                         size_t n_bytes, struct model_docs *docs)
{
	size_t at = n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	for (unsigned number = 1; at < n_bytes; number++) {
		char by_line[192], whole[512];
		bool has_id;
		const char *feed = memchr(bytes + at, '\n', n_bytes - at);
		size_t next = feed ? (size_t)(feed - bytes) + 1 : n_bytes;
		size_t line_bytes = (feed ? next - 1 : next) - at;
		struct model_doc doc = {.source = source, .raw = (char *)(uintptr_t)(bytes + at)};
		if (line_bytes && bytes[at + line_bytes - 1] == '\r')
			line_bytes--;
		doc.raw_bytes = line_bytes;
		snprintf(by_line, sizeof(by_line), "%s:%u", label, number);
		if (read_record(bytes + at, line_bytes, by_line, &doc, &has_id)) {
			snprintf(whole, sizeof(whole), "%s%s", has_id ? prefix : "", doc.id);
			free(doc.id);
			doc.id = copy_bytes(whole, strlen(whole));
			struct model_doc *earlier = docs_find(docs, source, doc.id);
			if (earlier)
				docs_drop(docs, (size_t)(earlier - docs->at));
			docs_add(docs, &doc);
		}
		free(doc.id);
		free(doc.words);
		at = next;
	}
}

static bool take_value(const char **at, const char *end);

/* Parses the values of an array or, with has_names, of an object, after its opening bracket. */
static bool take_values(const char **at, const char *end, bool has_names, char close)
{
	const char *text;
	size_t n;
	if (take(at, end, close))
		return true;
	do {
		if (has_names && (!take_string(at, end, &text, &n) || !take(at, end, ':')))
			return false;
		if (!take_value(at, end))
			return false;
	} while (take(at, end, ','));
	return take(at, end, close);
}

static bool take_word(const char **at, const char *end, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool take_value(const char **at, const char *end)
{
	const char *text;
	size_t n;
	if (take(at, end, '{'))
		return take_values(at, end, true, '}');
	if (take(at, end, '['))
		return take_values(at, end, false, ']');
	return take_string(at, end, &text, &n) || take_number(at, end, &text, &n) ||
	       take_word(at, end, "null") || take_word(at, end, "true");
}

/* Whether a file of a folder is a collection: by its name and its first non-blank line, if any. */
static bool is_collection(const struct model_node *node)
{
	const char *dot = strrchr(node->path, '.'), *at = node->bytes, *end = at + node->n_bytes;
	if (!dot || (strcmp(dot, ".jsonl") != 0 && strcmp(dot, ".ndjson") != 0))
		return false;
	at += node->n_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (at < end && strchr(" \t\r\n", *at) && *at)
		at++;
	const char *feed = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	if (at == end)
		return true;
	end = feed ? feed : end;
	if (*at != '{' || !take_value(&at, end))
		return false;
	take(&at, end, '\n'); /* skips spaces */
	return at == end;
}

/* ---- folders and files ---- */

/* Compares paths by component: a slash sorts before all other bytes. */
static int compare_paths(const void *a, const void *b)
{
	const char *x = (*(struct model_node *const *)a)->path,
		   *y = (*(struct model_node *const *)b)->path;
	while (*x && *x == *y) {
		x++;
		y++;
	}
	int p = *x == '/' ? 1 : *x ? (unsigned char)*x + 1 : 0;
	int q = *y == '/' ? 1 : *y ? (unsigned char)*y + 1 : 0;
	return p - q;
}

static bool has_component(const char *path, const char *name, size_t n)
{
	for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (at[n] == '/' || at[n] == '\0'))
			return true;
	return false;
}

/* Whether a file is ignored: below the source, one of its components is hidden or named by an
 * .ignore file. An .ignore file applies to its folder and contains one name. */
static bool is_passed_over(const struct model_disk *disk, const struct model_node *node,
                           size_t root_bytes)
{
	const char *below = node->path + root_bytes;
	if (below[0] == '.' || strstr(below, "/."))
		return true;
	for (size_t i = 0; i < disk->n_nodes; i++) {
		const struct model_node *rule = &disk->nodes[i];
		const char *base = strstr(rule->path, ".ignore");
		size_t folder_bytes = base ? (size_t)(base - rule->path) : 0;
		if (!base || rule->kind != MODEL_FILE ||
		    strncmp(node->path, rule->path, folder_bytes) != 0)
			continue;
		const char *from =
			node->path + (folder_bytes > root_bytes ? folder_bytes : root_bytes);
		if (has_component(from, rule->bytes, strcspn(rule->bytes, "\n")))
			return true;
	}
	return false;
}

static void add_file(const struct model_node *node, const char *id, uint32_t source,
                     struct model_docs *docs)
{
	struct model_doc doc = {.source = source,
	                        .id = (char *)(uintptr_t)id,
	                        .raw = node->bytes,
	                        .raw_bytes = node->n_bytes};
	add_words(&doc, node->bytes, node->n_bytes);
	docs_add(docs, &doc);
	free(doc.words);
}

static void read_folder(const struct model_disk *disk, const char *label, uint32_t source,
                        bool all_files, struct model_docs *docs)
{
	FREED const struct model_node **found = must_malloc((disk->n_nodes + 1) * sizeof(*found));
	size_t root_bytes = strcmp(label, ".") == 0 ? 0 : strlen(label) + 1, n = 0;
	for (size_t i = 0; i < disk->n_nodes; i++) {
		const struct model_node *node = &disk->nodes[i];
		if (node->kind == MODEL_FOLDER || strlen(node->path) < root_bytes ||
		    (root_bytes && (memcmp(node->path, label, root_bytes - 1) != 0 ||
		                    node->path[root_bytes - 1] != '/')))
			continue;
		bool is_document = node->kind != MODEL_LINK &&
		                   (is_collection(node) || !memchr(node->bytes, 0, node->n_bytes));
		if (is_document && (all_files || !is_passed_over(disk, node, root_bytes)))
			found[n++] = node;
	}
	qsort(found, n, sizeof(*found), compare_paths);
	for (size_t i = 0; i < n; i++) {
		char prefix[192];
		snprintf(prefix, sizeof(prefix), "%s#", found[i]->path);
		if (is_collection(found[i]))
			read_records(found[i]->path, prefix, source, found[i]->bytes,
			             found[i]->n_bytes, docs);
		else
			add_file(found[i], found[i]->path, source, docs);
	}
}

bool model_read_source(const struct model_disk *disk, const char *label, uint32_t source,
                       bool all_files, struct model_docs *docs)
{
	const struct model_node *node = disk_find(disk, label);
	const char *dot = strrchr(label, '.');
	bool is_folder = strcmp(label, ".") == 0 || (node && node->kind == MODEL_FOLDER);
	if (is_folder)
		read_folder(disk, label, source, all_files, docs);
	else if (!node || node->kind == MODEL_LINK)
		return false;
	else if (dot && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0))
		read_records(label, "", source, node->bytes, node->n_bytes, docs);
	else
		add_file(node, label, source, docs);
	return true;
}

/* ---- commits ---- */

void state_deinit(struct model_state *state)
{
	docs_deinit(&state->docs);
	docs_deinit(&state->excluded);
	*state = (struct model_state){.n_sources = 0};
}

static void add_all(const struct model_docs *from, struct model_docs *to)
{
	for (size_t i = 0; i < from->n; i++)
		docs_add(to, &from->at[i]);
}

void state_copy(const struct model_state *from, struct model_state *to_out)
{
	*to_out = *from;
	to_out->docs = to_out->excluded = (struct model_docs){0};
	add_all(&from->docs, &to_out->docs);
	add_all(&from->excluded, &to_out->excluded);
}

/* Applies the exclusions of a source. A deleted document stays out while its bytes are unchanged.
 * An exclusion ends when its document changes, or is missing after a complete read. is_whole: the
 * source was read completely. Callers skip missing sources, whose exclusions stay. */
static void exclude(struct model_state *state, uint32_t source, bool is_whole)
{
	for (size_t i = state->excluded.n; i-- > 0;) {
		const struct model_doc *excluded = &state->excluded.at[i];
		if (excluded->source != source)
			continue;
		struct model_doc *now = docs_find(&state->docs, source, excluded->id);
		if (now && is_same_raw(now, excluded))
			docs_drop(&state->docs, (size_t)(now - state->docs.at));
		else if (now || is_whole)
			docs_drop(&state->excluded, i);
	}
}

static bool is_there(const struct model_disk *disk, const char *label)
{
	const struct model_node *node = disk_find(disk, label);
	return strcmp(label, "-") == 0 || strcmp(label, ".") == 0 ||
	       (node && node->kind != MODEL_LINK);
}

/* Returns the index of the label, or n_sources if there is none. */
static uint32_t find_source(const struct model_state *state, const char *label)
{
	uint32_t k = 0;
	while (k < state->n_sources && strcmp(state->sources[k], label) != 0)
		k++;
	return k;
}

static bool is_empty_folder(const struct model_disk *disk, const char *label)
{
	const struct model_node *node = disk_find(disk, label);
	size_t n = strlen(label);
	bool is_empty = node && node->kind == MODEL_FOLDER;
	for (size_t i = 0; i < disk->n_nodes && is_empty; i++)
		is_empty = strncmp(disk->nodes[i].path, label, n) != 0 ||
		           disk->nodes[i].path[n] != '/';
	return is_empty;
}

static bool has_documents(const struct model_state *state, uint32_t source)
{
	for (size_t i = 0; i < state->docs.n; i++)
		if (state->docs.at[i].source == source)
			return true;
	return false;
}

bool source_stands(const struct model_disk *disk, const char *label)
{
	return is_there(disk, label) && !is_empty_folder(disk, label);
}

/* Whether a source has documents but no longer exists, or is an empty folder. */
static bool is_away(const struct model_state *state, const struct model_disk *disk, uint32_t source)
{
	return has_documents(state, source) && !source_stands(disk, state->sources[source]);
}

bool state_has_away(const struct model_state *state, const struct model_disk *disk)
{
	for (uint32_t i = 0; i < state->n_sources; i++)
		if (is_away(state, disk, i))
			return true;
	return false;
}

/* Returns BS_OK if a rebuild is allowed, otherwise its error. An empty folder that the request
 * names is taken as really empty. */
static enum bs_status check_rebuild(const struct model_state *before, const struct model_disk *disk,
                                    const struct model_refresh *refresh, const bool *is_named)
{
	bool is_whole = true;
	for (uint32_t k = 0; k < before->n_sources; k++)
		is_whole &= is_named[k] || refresh->n_sources == 0;
	for (size_t i = 0; i < refresh->n_sources && before->n_sources > 0; i++) {
		if (find_source(before, refresh->sources[i]) == before->n_sources)
			return BS_INVALID;
		if (!is_there(disk, refresh->sources[i]))
			return BS_NOT_FOUND;
	}
	for (uint32_t k = 0; k < before->n_sources && is_whole; k++)
		if (is_away(before, disk, k) &&
		    !(is_named[k] && is_there(disk, before->sources[k])))
			return BS_NOT_FOUND;
	return BS_OK;
}

/* Updates source i from the disk or the input, or keeps its documents. Returns whether it was
 * read. */
static bool read_source(const struct model_state *before, const struct model_disk *disk,
                        const struct model_refresh *refresh, uint32_t i, bool is_named,
                        struct model_state *after)
{
	const char *label = after->sources[i];
	bool is_input = strcmp(label, "-") == 0, is_anew = refresh->rebuild && is_named;
	bool is_read = refresh->n_sources == 0 || is_named;
	bool is_missing = i < before->n_sources && is_away(before, disk, i);
	if (is_missing && !refresh->is_fresh && !(is_anew && is_there(disk, label)))
		is_read = false;
	for (size_t k = 0; k < before->docs.n && (!is_read || (is_input && !is_anew)); k++)
		if (before->docs.at[k].source == i)
			docs_add(&after->docs, &before->docs.at[k]);
	if (!is_read)
		return false;
	if (is_input && refresh->input)
		read_records("-", "", i, refresh->input, strlen(refresh->input), &after->docs);
	else if (!is_input)
		model_read_source(disk, label, i, false, &after->docs);
	if (is_there(disk, label))
		exclude(after, i, !is_input || is_anew);
	return is_there(disk, label);
}

enum bs_status state_refresh(const struct model_state *before, const struct model_disk *disk,
                             const struct model_refresh *refresh, struct model_state *after_out)
{
	uint32_t n_read = 0;
	bool is_named[MODEL_MAX_SOURCES] = {false};
	state_copy(before, after_out);
	for (size_t i = 0; i < refresh->n_sources; i++) {
		uint32_t k = find_source(after_out, refresh->sources[i]);
		if (!is_there(disk, refresh->sources[i]))
			continue;
		if (k == after_out->n_sources)
			after_out->sources[after_out->n_sources++] = refresh->sources[i];
		is_named[k] = true;
	}
	enum bs_status status =
		refresh->rebuild ? check_rebuild(before, disk, refresh, is_named) : BS_OK;
	docs_deinit(&after_out->docs);
	for (uint32_t i = 0; i < after_out->n_sources && !status; i++)
		n_read += read_source(before, disk, refresh, i, is_named[i], after_out);
	if (!status && n_read > 0)
		return BS_OK;
	state_deinit(after_out);
	state_copy(before, after_out);
	return status ? status : BS_NOT_FOUND;
}

void state_delete(struct model_state *state, const char *id)
{
	for (size_t i = state->docs.n; i-- > 0;) {
		struct model_doc *doc = &state->docs.at[i];
		if (strcmp(doc->id, id) != 0)
			continue;
		docs_add(&state->excluded, doc);
		docs_drop(&state->docs, i);
	}
}

size_t state_undo(struct model_state *state, const char *id)
{
	size_t n = 0;
	for (size_t i = state->excluded.n; i-- > 0;) {
		if (strcmp(state->excluded.at[i].id, id) != 0)
			continue;
		docs_drop(&state->excluded, i);
		n++;
	}
	return n;
}
