/* match.c: tests whether a text in memory matches a query, and where; without an index. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/query.h>

int main(void)
{
	static const char text[] = "Roses are red.\nA blooms in spring, another in May.";
	static const char *const fields[] = {"title", "body", NULL};
	struct bs_text texts[] = {{"title", 5, "Garden", 6}, {"body", 4, text, sizeof(text) - 1}};
	struct bs_query_request request = {.query = "title:garden bloom* -winter",
	                                   .fields = fields};
	struct bs_query *query = NULL;
	struct bs_query_result result = {.is_match = false};
	struct bs_error err;

	request.query_bytes = strlen(request.query);
	/* made once, then used for any number of texts */
	enum bs_status status = bs_query_new(&request, &query, NULL, &err);
	if (!status)
		status = bs_query_match(query, texts, 2, &result, &err);
	for (size_t i = 0; !status && i < result.n_places; i++) {
		const struct bs_query_place *place = &result.places[i];
		const struct bs_text *in = &texts[place->text];
		printf("%.*s %llu:%llu [%.*s]%.8s\n", (int)in->field_bytes, in->field,
		       (unsigned long long)place->line, (unsigned long long)place->column,
		       (int)(place->stop_byte - place->start_byte), in->text + place->start_byte,
		       in->text + place->stop_byte);
	}
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_query_free(query);
	return status != BS_OK || !result.is_match;
}
