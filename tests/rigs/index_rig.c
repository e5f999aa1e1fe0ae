/* index_rig.c: see index_rig.h. */
#include "tests/rigs/index_rig.h"
#include "core/bitsift/index.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/store/index_dir.h"

void index_sources(const struct bs_build_request *request, const char *const *sources,
                   const char *input)
{
	struct bs_build_request own = *request;
	struct bs_build_report report;
	int kept = dup(STDIN_FILENO);
	own.sources = sources;
	for (own.n_sources = 0; sources[own.n_sources];)
		own.n_sources++;
	if (input) {
		write_text("input", input);
		int fd = open("input", O_RDONLY);
		assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
		close(fd);
		lseek(STDIN_FILENO, 0, SEEK_SET);
	}
	enum bs_status status = bs_index_build(&own, &report, ERR);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
	ok(status);
}

/* ---- an index with a bit of everything ---- */

/* Writes 35 short records, the last of which replaces the first, and two records that are too long
 * for columns. */
static void write_collection(void)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	for (int i = 0; i < 35; i++)
		append_format(&text, "{\"id\":\"r%d\",\"text\":\"common %s w%d w%d%s\"}\n",
		              i % 34 ? i : 0, i % 2 ? "odd" : "even", i % 7, i % 11,
		              i % 5 ? "" : " red fox");
	for (int l = 0; l < 2; l++) {
		append_format(&text, "{\"id\":\"%s\",\"text\":\"", l ? "longer" : "long");
		for (int i = 0; i < 80 + 10 * l; i++)
			append_format(&text, "l%d ", i * (l + 1));
		append_string(&text, "common red\"}\n");
	}
	write_bytes("c.jsonl", text.data, text.used_bytes);
}

/* Asserts that the index has the parts that tests damage. */
static void expect_small_index(bool has_false_positives)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	bool has_matrix = false, has_lists = false;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	assert_int_equal(snapshot.manifest.n_segments, 3);
	assert_true(snapshot.manifest.segments[2].is_rows);
	assert_int_equal(snapshot.segments[2].grams.meta.n_docs, 1);
	const struct bs_segment *segment = &snapshot.segments[0];
	for (uint32_t s = 0; s < segment->meta.n_shards; s++) {
		const struct bs_shard *shard = &segment->shards[s];
		has_lists |= shard->hashed.n_levels == 0;
		has_matrix |= shard->hashed.n_levels == 3 && shard->hashed.n_columns[0] &&
		              shard->hashed.n_columns[1] && shard->hashed.n_columns[2] &&
		              shard->exact.level.n_columns > 0;
	}
	assert_true(has_matrix && has_lists);
	assert_int_equal(segment->terms.false_positives.n_terms > 0, has_false_positives);
	assert_non_null(snapshot.tombstones.bits[0]);
	assert_non_null(snapshot.tombstones.bits[1]);
	assert_true(snapshot.segments[1].stored.frames.n_bytes > 0);
}

static void make_index(bool use_false_positives)
{
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	policy.is_forced = true;
	policy.use_false_positives = use_false_positives;
	policy.force[0] = 2;
	policy.force[1] = 1;
	policy.force[2] = 1;
	policy.exact_share = 10.0 / 512;
	policy.density = 0.4;
	/* Even small shards have columns. The long records get forward indexes, because the columns
	 * of a block of them would exceed max_shard_bytes. */
	struct bs_build_tuning tuning = {.policy = &policy,
	                                 .max_segment_docs = 38,
	                                 .forward_mode = BS_FORWARD_NEVER,
	                                 .max_shard_bytes = 16 << 10};
	struct bs_build_request request = {.dir = "index",
	                                   .index.words = true,
	                                   .index.grams = true,
	                                   .write.n_threads = 1,
	                                   .tuning = &tuning};
	write_collection();
	assert_int_equal(mkdir("d", 0777), 0);
	write_text("d/a.txt", "A fox in a file; common words.\n");
	write_text("d/b.txt", "\xe6\x9d\xb1\xe4\xba\xac, a red house.\n");
	write_bytes("d/c.bin", "", 1); /* binary */
	write_bytes("d/d.bin", "", 1);
	index_sources(&request, (const char *const[]){"c.jsonl", "d", "-", NULL},
	              "{\"id\":\"s0\",\"text\":\"stored red fox\"}\n"
	              "{\"id\":\"s1\",\"title\":\"even stored\",\"text\":\"common common\"}\n"
	              "{\"id\":\"s0\",\"text\":\"stored again, red w3\"}\n");
	expect_small_index(use_false_positives);
}

void make_small_index(void)
{
	make_index(true);
}

void make_small_index_of_chances(void)
{
	make_index(false);
}

/* ---- files ---- */

char *index_file(const char *prefix, unsigned which)
{
	char *found = NULL;
	struct dirent **entries;
	int n = scandir("index", &entries, NULL, alphasort);
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		if (!found && strncmp(entries[i]->d_name, prefix, strlen(prefix)) == 0 &&
		    which-- == 0)
			assert_true(asprintf(&found, "index/%s", entries[i]->d_name) > 0);
		free(entries[i]);
	}
	free(entries);
	if (!found)
		fail_msg("no file %s-* in the index", prefix);
	return found;
}
