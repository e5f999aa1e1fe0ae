#include <bitsift.h>
#include <stdio.h>

int main(void)
{
	struct bs_index *index;
	struct bs_results *results;
	const struct bs_hit *hit;
	if (bs_index_open(".bitsift", &index, NULL) ||
	    bs_index_search(index, "cold harbour", 10, &results, NULL))
		return 1;
	while ((hit = bs_results_next(results)))
		printf("%.2f  %s\n", hit->score, hit->id);
	bs_results_free(results);
	bs_index_close(index);
	return 0;
}
