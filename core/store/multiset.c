/* multiset.c: see multiset.h. */
#include "core/store/multiset.h"

#include <stdlib.h>

/* Added numbers are looked up in base only if `more` has grown to more than 1/MORE_SHARE of base;
 * in sets without counts, to more than 1/BS_MULTISET_MORE_SHARE. */
#define MORE_SHARE 16u
/* base is rebuilt when there are more changed numbers than n / CHANGED_SHARE + CHANGED_FEW, for the
 * n numbers of base. */
#define CHANGED_SHARE 4u
#define CHANGED_FEW   64u

void bs_multiset_deinit(struct bs_multiset *multiset)
{
	for (int i = 0; i < BS_MULTISET_LISTS; i++)
		bs_buffer_deinit(&multiset->made[i]);
	*multiset = (struct bs_multiset){.files = multiset->files};
}

static void clear(struct bs_multiset *multiset)
{
	for (int i = 0; i < BS_MULTISET_LISTS; i++) {
		bs_buffer_clear(&multiset->made[i]);
		multiset->kept[i] = NULL;
	}
}

uint64_t bs_multiset_list_n(const struct bs_multiset *multiset, enum bs_multiset_list list)
{
	return multiset->kept[list] ? multiset->kept[list]->coded.n
	                            : bs_numbers_in(&multiset->made[list]).n;
}

uint64_t bs_multiset_n(const struct bs_multiset *multiset)
{
	return bs_multiset_list_n(multiset, BS_MULTISET_BASE) +
	       bs_multiset_list_n(multiset, BS_MULTISET_MORE) -
	       bs_multiset_list_n(multiset, BS_MULTISET_GONE);
}

/* Removes the leading numbers that equal `number`, and returns how many there were. */
static uint64_t take_equal(struct bs_numbers *numbers, uint64_t number)
{
	uint64_t n = 0;
	for (; numbers->n && *numbers->at == number; numbers->at++, numbers->n--)
		n++;
	return n;
}

static uint64_t first_of(const struct bs_numbers *numbers)
{
	return numbers->n ? *numbers->at : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Appends n copies of a number. The buffer must have room. */
static void put(struct bs_buffer *to, uint64_t number, uint64_t n)
{
	for (uint64_t *at = (uint64_t *)(void *)(to->data + to->used_bytes); n > 0;
	     n--, to->used_bytes += sizeof(*at))
		*at++ = number;
}

/* Reserves memory for a list of this multiset, or for decoded numbers. */
static enum bs_status reserve(const struct bs_multiset *multiset, struct bs_buffer *to, size_t n,
                              struct bs_error *err)
{
	enum bs_status status = multiset->files ? bs_dir_place(multiset->files, to, err) : BS_OK;
	return status ? status : bs_buffer_reserve(to, (n + 1) * sizeof(uint64_t), err);
}

static enum bs_status read_list(const struct bs_multiset *multiset,
                                const struct bs_coded_section *list, struct bs_buffer *to,
                                struct bs_error *err)
{
	enum bs_status status = reserve(multiset, to, (size_t)list->coded.n, err);
	return status ? status : bs_coded_section_read(list, to, err);
}

enum bs_status bs_multiset_count(struct bs_multiset *multiset, struct bs_numbers numbers,
                                 struct bs_error *err)
{
	struct bs_buffer *base = &multiset->made[BS_MULTISET_BASE],
			 *beyond = &multiset->made[BS_MULTISET_BEYOND];
	size_t n_beyond = 0;
	for (size_t i = 1; i < numbers.n; i++)
		n_beyond += numbers.at[i] == numbers.at[i - 1];
	enum bs_status status = reserve(multiset, base, numbers.n - n_beyond, err);
	if (!status)
		status = reserve(multiset, beyond, n_beyond, err);
	for (size_t i = 0; i < numbers.n && !status; i++)
		put(i > 0 && numbers.at[i] == numbers.at[i - 1] ? beyond : base, numbers.at[i], 1);
	return status;
}

enum bs_status bs_multiset_add(struct bs_multiset *multiset, struct bs_numbers set,
                               struct bs_error *err)
{
	struct bs_buffer both = {0};
	struct bs_numbers base = bs_numbers_in(&multiset->made[BS_MULTISET_BASE]);
	enum bs_status status = reserve(multiset, &both, base.n + set.n, err);
	if (status)
		return status;
	while (base.n || set.n) {
		uint64_t next = least(first_of(&base), first_of(&set));
		put(&both, next, 1);
		(void)take_equal(&base, next);
		(void)take_equal(&set, next);
	}
	bs_buffer_deinit(&multiset->made[BS_MULTISET_BASE]);
	multiset->made[BS_MULTISET_BASE] = both;
	return BS_OK;
}

/* Looks up ascending numbers in an encoded list. Decodes only blocks that may contain one. */
struct lookup {
	const struct bs_coded *coded;
	uint64_t next_block;
	/* the decoded numbers of blocks before next_block that have not been passed yet */
	struct bs_numbers here;
	/* Not initialised, because that would take longer than some look-ups. */
	uint64_t numbers[BS_CODED_BLOCKS_NUMBERS];
};

/* Lookups of 16 KiB each, too large for the stack. Free with free(); NULL: out of memory. */
static struct lookup *new_lookups(size_t n, struct bs_error *err)
{
	struct lookup *lookups = malloc(n * sizeof(*lookups));
	if (!lookups)
		(void)!bs_fail_memory(err, "a summary", n * sizeof(*lookups));
	return lookups;
}

static void begin_lookup(struct lookup *at, const struct bs_coded *coded)
{
	at->coded = coded;
	at->next_block = 0;
	at->here.n = 0;
}

/* Skips numbers less than `number`, eight at a time: a loop over single numbers would end at an
 * unpredictable branch. */
static void skip_below(struct bs_numbers *numbers, uint64_t number)
{
	enum {
		STEP = 8
	};
	for (; numbers->n > STEP && numbers->at[STEP - 1] < number;
	     numbers->at += STEP, numbers->n -= STEP)
		;
	size_t n = 0;
	for (size_t i = 0; i < STEP && numbers->n >= STEP; i++)
		n += numbers->at[i] < number;
	while (numbers->n < STEP && n < numbers->n && numbers->at[n] < number)
		n++;
	if (n == 0)
		return;
	numbers->at += n;
	numbers->n -= n;
}

/* Sets *n_out to the number of times that the list has the number. The numbers of successive calls
 * must ascend. */
static enum bs_status look_up(struct lookup *at, uint64_t number, uint64_t *n_out,
                              struct bs_error *err)
{
	uint64_t block;
	for (*n_out = 0;;) {
		skip_below(&at->here, number);
		*n_out += take_equal(&at->here, number);
		/* Find the next block that may contain the number: one that begins with it, or with
		 * a smaller one. */
		if (at->here.n || !bs_coded_find(at->coded, number, &block) ||
		    block < at->next_block)
			return BS_OK;
		if (number > 0 && bs_coded_find(at->coded, number - 1, &block) &&
		    block > at->next_block)
			at->next_block = block;
		at->here.at = at->numbers;
		enum bs_status status = bs_coded_read_blocks(at->coded, at->next_block, at->numbers,
		                                             &at->here.n, err);
		at->next_block += BS_CODED_BLOCKS;
		if (status)
			return status;
	}
}

void bs_multiset_leave_out_both(struct bs_buffer *a, struct bs_buffer *b)
{
	struct bs_numbers from_a = bs_numbers_in(a), from_b = bs_numbers_in(b), to_a = from_a,
			  to_b = from_b;
	to_a.n = to_b.n = 0;
	while (from_a.n || from_b.n) {
		uint64_t next = least(first_of(&from_a), first_of(&from_b));
		bool is_in_a = take_equal(&from_a, next), is_in_b = take_equal(&from_b, next);
		if (is_in_a && !is_in_b)
			to_a.at[to_a.n++] = next;
		if (is_in_b && !is_in_a)
			to_b.at[to_b.n++] = next;
	}
	a->used_bytes = to_a.n * sizeof(uint64_t);
	b->used_bytes = to_b.n * sizeof(uint64_t);
}

void bs_multiset_keep(struct bs_buffer *numbers, struct bs_numbers others)
{
	struct bs_numbers from = bs_numbers_in(numbers), to = from;
	for (to.n = 0; from.n && others.n;) {
		uint64_t next = least(first_of(&from), first_of(&others));
		bool is_in = take_equal(&from, next);
		if (take_equal(&others, next) && is_in)
			to.at[to.n++] = next;
	}
	numbers->used_bytes = to.n * sizeof(uint64_t);
}

enum bs_status bs_multiset_subtract(const struct bs_coded_section *set, struct bs_buffer *numbers,
                                    struct bs_error *err)
{
	struct bs_numbers from = bs_numbers_in(numbers);
	size_t n_left = 0;
	struct lookup *lookup = new_lookups(1, err);
	if (!lookup)
		return BS_NO_MEMORY;
	begin_lookup(lookup, &set->coded);
	enum bs_status status =
		from.n ? bs_section_touch(&set->section, set->offset, set->coded.n_bytes, err)
		       : BS_OK;
	for (size_t i = 0; i < from.n && !status; i++) {
		uint64_t n = 0;
		status = look_up(lookup, from.at[i], &n, err);
		from.at[n_left] = from.at[i];
		n_left += n == 0;
	}
	free(lookup);
	numbers->used_bytes = n_left * sizeof(uint64_t);
	return status;
}

/* The state of bs_multiset_change. multiset.h explains the lists. */
struct change {
	/* The decoded lists `more`, `gone`, `gained` and `lost` of the old multiset. */
	struct bs_buffer read[BS_MULTISET_LISTS];
	/* The numbers that are still to be processed: of these four lists (in `read`), and of the
	 * added numbers (came) and the removed numbers (went). */
	struct bs_numbers more, gone, gained, lost, came, went;
	/* Look-ups in the lists `base` and `beyond` of the old multiset, which stay encoded. */
	struct lookup *base, *beyond;
	bool looks;                   /* whether to look up added numbers in base */
	struct bs_multiset *multiset; /* the new multiset */
};

static enum bs_status read_changes(struct change *at, const struct bs_stored_multiset *told,
                                   struct bs_error *err)
{
	static const enum bs_multiset_list lists[] = {BS_MULTISET_MORE, BS_MULTISET_GONE,
	                                              BS_MULTISET_GAINED, BS_MULTISET_LOST};
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && !status; i++)
		status = read_list(at->multiset, &told->lists[lists[i]], &at->read[lists[i]], err);
	return status;
}

static enum bs_status begin_change(struct change *at, const struct bs_stored_multiset *told,
                                   struct bs_error *err)
{
	struct bs_buffer *made = at->multiset->made;
	at->more = bs_numbers_in(&at->read[BS_MULTISET_MORE]);
	at->gone = bs_numbers_in(&at->read[BS_MULTISET_GONE]);
	at->gained = bs_numbers_in(&at->read[BS_MULTISET_GAINED]);
	at->lost = bs_numbers_in(&at->read[BS_MULTISET_LOST]);
	begin_lookup(at->base, &told->lists[BS_MULTISET_BASE].coded);
	begin_lookup(at->beyond, &told->lists[BS_MULTISET_BEYOND].coded);
	clear(at->multiset);
	enum bs_status status =
		reserve(at->multiset, &made[BS_MULTISET_MORE], at->more.n + at->came.n, err);
	if (!status)
		status = reserve(at->multiset, &made[BS_MULTISET_GONE],
		                 at->gone.n + at->came.n + at->went.n, err);
	if (!status)
		status = reserve(at->multiset, &made[BS_MULTISET_GAINED],
		                 at->more.n + at->gained.n + at->came.n, err);
	return status ? status
	              : reserve(at->multiset, &made[BS_MULTISET_LOST], at->lost.n + at->went.n,
	                        err);
}

/* Processes `number`, the least of the next numbers of all lists. *is_sound_out is false if the
 * number is removed more often than it is present. */
static enum bs_status change_next(struct change *at, uint64_t number, bool *is_sound_out,
                                  struct bs_error *err)
{
	struct bs_buffer *made = at->multiset->made;
	bool is_more = take_equal(&at->more, number), is_gone = take_equal(&at->gone, number);
	int64_t before = is_more + (int64_t)take_equal(&at->gained, number) -
	                 (int64_t)take_equal(&at->lost, number);
	int64_t change = (int64_t)take_equal(&at->came, number) -
	                 (int64_t)take_equal(&at->went, number),
		now = before + change;
	enum bs_status status = BS_OK;
	if (change && now < 0) {
		uint64_t n_beyond;
		status = look_up(at->beyond, number, &n_beyond, err);
		is_gone = !status && n_beyond + 1 == (uint64_t)-now;
		*is_sound_out = !status && n_beyond + 1 >= (uint64_t)-now;
	}
	/* Does the number belong in the new list `more`, which has the numbers that are present but
	 * not in base? If before < 0, it is in base; if before > 0, it is in base unless it is in
	 * the old list `more`; if before is 0, only a look-up can tell. */
	is_more = now > 0 && (is_more || before == 0);
	if (!status && is_more && at->looks) {
		uint64_t n_in_base;
		status = look_up(at->base, number, &n_in_base, err);
		is_more = n_in_base == 0;
	}
	put(&made[BS_MULTISET_MORE], number, is_more);
	put(&made[BS_MULTISET_GAINED], number, now > 0 ? (uint64_t)(now - is_more) : 0);
	put(&made[BS_MULTISET_LOST], number, now < 0 ? (uint64_t)-now : 0);
	put(&made[BS_MULTISET_GONE], number, now < 0 && is_gone);
	return status;
}

static enum bs_status change_all(struct change *at, const struct bs_stored_multiset *told,
                                 struct bs_numbers came, struct bs_numbers went, bool *is_sound_out,
                                 struct bs_error *err)
{
	at->came = came;
	at->went = went;
	*is_sound_out = true;
	enum bs_status status = begin_change(at, told, err);
	while (*is_sound_out && !status) {
		uint64_t told_next = least(least(first_of(&at->more), first_of(&at->gone)),
		                           least(first_of(&at->gained), first_of(&at->lost)));
		uint64_t next = least(told_next, least(first_of(&at->came), first_of(&at->went)));
		if (next == UINT64_MAX)
			break;
		status = change_next(at, next, is_sound_out, err);
	}
	return status;
}

enum bs_status bs_multiset_change(const struct bs_stored_multiset *told, struct bs_numbers came,
                                  struct bs_numbers went, struct bs_multiset *multiset,
                                  bool *is_done_out, struct bs_error *err)
{
	struct lookup *lookups = new_lookups(2, err);
	struct change at = {.multiset = multiset, .base = lookups, .beyond = lookups + 1};
	const uint64_t n_base = told->lists[BS_MULTISET_BASE].coded.n;
	bool is_sound = false;
	if (!lookups)
		return BS_NO_MEMORY;
	enum bs_status status = read_changes(&at, told, err);
	if (!status)
		status = change_all(&at, told, came, went, &is_sound, err);
	at.looks = bs_multiset_list_n(multiset, BS_MULTISET_MORE) > n_base / MORE_SHARE;
	if (!status && is_sound && at.looks)
		status = change_all(&at, told, came, went, &is_sound, err);
	multiset->kept[BS_MULTISET_BASE] = &told->lists[BS_MULTISET_BASE];
	multiset->kept[BS_MULTISET_BEYOND] = &told->lists[BS_MULTISET_BEYOND];
	uint64_t n_changed = bs_multiset_list_n(multiset, BS_MULTISET_MORE) +
	                     bs_multiset_list_n(multiset, BS_MULTISET_GAINED) +
	                     bs_multiset_list_n(multiset, BS_MULTISET_LOST);
	*is_done_out = !status && is_sound && n_changed <= n_base / CHANGED_SHARE + CHANGED_FEW;
	free(lookups);
	for (int i = 0; i < BS_MULTISET_LISTS; i++)
		bs_buffer_deinit(&at.read[i]);
	return status;
}

/* Makes a multiset from scratch: the multiset of the lists `in` (multiset.h), plus the numbers
 * `came`, minus the numbers `went`. Writes each of its numbers once to `base`, and the further
 * occurrences of each to `beyond`. Returns false if a count would be negative. */
static bool fold_all(struct bs_numbers in[BS_MULTISET_LISTS], struct bs_numbers came,
                     struct bs_numbers went, struct bs_buffer *base, struct bs_buffer *beyond)
{
	for (;;) {
		uint64_t next = least(first_of(&came), first_of(&went));
		for (int i = BS_MULTISET_MORE; i < BS_MULTISET_LISTS; i++)
			next = least(next, first_of(&in[i]));
		for (; first_of(&in[BS_MULTISET_BASE]) < next;
		     in[BS_MULTISET_BASE].at++, in[BS_MULTISET_BASE].n--)
			put(base, *in[BS_MULTISET_BASE].at, 1);
		if (next == UINT64_MAX)
			return true;
		uint64_t n = take_equal(&in[BS_MULTISET_BASE], next) +
		             take_equal(&in[BS_MULTISET_MORE], next) +
		             take_equal(&in[BS_MULTISET_BEYOND], next) +
		             take_equal(&in[BS_MULTISET_GAINED], next) + take_equal(&came, next);
		uint64_t n_less = take_equal(&in[BS_MULTISET_LOST], next) + take_equal(&went, next);
		if (n < n_less)
			return false;
		put(base, next, n > n_less);
		put(beyond, next, n > n_less ? n - n_less - 1 : 0);
	}
}

enum bs_status bs_multiset_fold(const struct bs_stored_multiset *told, struct bs_numbers came,
                                struct bs_numbers went, struct bs_multiset *multiset,
                                bool *is_done_out, struct bs_error *err)
{
	static const enum bs_multiset_list lists[] = {BS_MULTISET_BASE, BS_MULTISET_MORE,
	                                              BS_MULTISET_BEYOND, BS_MULTISET_GAINED,
	                                              BS_MULTISET_LOST};
	struct bs_buffer read[BS_MULTISET_LISTS] = {{0}}, *base = &multiset->made[BS_MULTISET_BASE],
			 *beyond = &multiset->made[BS_MULTISET_BEYOND];
	struct bs_numbers in[BS_MULTISET_LISTS] = {{0}};
	size_t n_most = came.n;
	enum bs_status status = BS_OK;
	*is_done_out = false;
	clear(multiset);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && !status; i++) {
		status = read_list(multiset, &told->lists[lists[i]], &read[lists[i]], err);
		in[lists[i]] = bs_numbers_in(&read[lists[i]]);
		n_most += in[lists[i]].n;
	}
	if (!status)
		status = reserve(multiset, base, n_most, err);
	if (!status)
		status = reserve(multiset, beyond, n_most, err);
	if (!status)
		*is_done_out = fold_all(in, came, went, base, beyond);
	for (int i = 0; i < BS_MULTISET_LISTS; i++)
		bs_buffer_deinit(&read[i]);
	return status;
}

enum bs_status bs_multiset_read_set(const struct bs_coded_set *set, struct bs_buffer *numbers,
                                    struct bs_error *err)
{
	struct bs_buffer base_read = {0}, more_read = {0}, gone_read = {0};
	enum bs_status status = bs_coded_section_read(&set->base, &base_read, err);
	if (!status)
		status = bs_coded_section_read(&set->more, &more_read, err);
	if (!status)
		status = bs_coded_section_read(&set->gone, &gone_read, err);
	struct bs_numbers base = bs_numbers_in(&base_read), more = bs_numbers_in(&more_read),
			  gone = bs_numbers_in(&gone_read);
	if (!status)
		status = bs_buffer_reserve(numbers, (base.n + more.n + 1) * sizeof(uint64_t), err);
	while (!status && (base.n || more.n || gone.n)) {
		uint64_t next = least(first_of(&base), least(first_of(&more), first_of(&gone)));
		bool is_gone = take_equal(&gone, next), is_in = take_equal(&base, next) && !is_gone;
		put(numbers, next, take_equal(&more, next) || is_in);
	}
	bs_buffer_deinit(&base_read);
	bs_buffer_deinit(&more_read);
	bs_buffer_deinit(&gone_read);
	return status;
}

/* Makes the new lists `more` and `gone` from the old ones and the numbers `came` and `went`. looks:
 * numbers of `base` are kept out of `more`. stays: no number of `base` is removed. */
static enum bs_status change_set(const struct bs_coded_set *set, struct bs_numbers more,
                                 struct bs_numbers gone, struct bs_numbers came,
                                 struct bs_numbers went, bool stays, bool looks,
                                 struct bs_multiset *multiset, struct bs_error *err)
{
	struct bs_buffer *more_out = &multiset->made[BS_MULTISET_MORE],
			 *gone_out = &multiset->made[BS_MULTISET_GONE];
	struct lookup *base = new_lookups(1, err);
	if (!base)
		return BS_NO_MEMORY;
	begin_lookup(base, &set->base.coded);
	enum bs_status status = reserve(multiset, more_out, more.n + came.n, err);
	if (!status)
		status = reserve(multiset, gone_out, gone.n + went.n, err);
	while (!status) {
		uint64_t next = least(least(first_of(&more), first_of(&gone)),
		                      least(first_of(&came), first_of(&went))),
			 n_in_base = 0;
		if (next == UINT64_MAX)
			break;
		bool was_more = take_equal(&more, next), was_gone = take_equal(&gone, next);
		bool has_come = take_equal(&came, next), has_gone = take_equal(&went, next);
		bool is_more = has_come ? !was_gone : was_more && !has_gone;
		if ((is_more && looks) || (was_more && has_gone && !stays))
			status = look_up(base, next, &n_in_base, err);
		/* If a removed number was not in the list `more`, it was in `base`, so it is added
		 * to `gone`. If it was in `more`, it may be in `base`, too; n_in_base says so. */
		put(more_out, next, is_more && n_in_base == 0);
		put(gone_out, next,
		    !has_come &&
		            (was_gone || (has_gone && !stays && (!was_more || n_in_base > 0))));
	}
	free(base);
	return status;
}

enum bs_status bs_multiset_change_set(const struct bs_coded_set *set, struct bs_numbers more,
                                      struct bs_numbers came, struct bs_numbers went, bool stays,
                                      struct bs_multiset *multiset, bool *is_done_out,
                                      struct bs_error *err)
{
	struct bs_buffer gone = {0};
	clear(multiset);
	multiset->kept[BS_MULTISET_BASE] = &set->base;
	enum bs_status status = read_list(multiset, &set->gone, &gone, err);
	bool looks = more.n + came.n > set->base.coded.n / BS_MULTISET_MORE_SHARE;
	if (!status)
		status = change_set(set, more, bs_numbers_in(&gone), came, went, stays, looks,
		                    multiset, err);
	bs_buffer_deinit(&gone);
	uint64_t n_changed = bs_multiset_list_n(multiset, BS_MULTISET_MORE) +
	                     bs_multiset_list_n(multiset, BS_MULTISET_GONE);
	*is_done_out = !status && n_changed <= set->base.coded.n / CHANGED_SHARE + CHANGED_FEW;
	return status;
}
