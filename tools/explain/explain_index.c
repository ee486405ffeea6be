/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sorted array: all keys are known before the first search. */
#include "explain/explain_index.h"

#include "base/cleanup.h"

int lea_index_add(struct lea_index *index, const char *key, void *value, const void *of)
{
	if (lea_make_room(&index->row, &index->room, index->count + 1, sizeof(*index->row)))
		return -ENOMEM;
	index->row[index->count] = (struct lea_index_row){key, value, of, index->count};
	index->count++;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct lea_index_row *one = a, *other = b;
	const int order = strcmp(one->key, other->key);

	return order ? order : one->number < other->number ? -1 : one->number > other->number;
}

void lea_index_sort(struct lea_index *index)
{
	if (index->count)
		qsort(index->row, index->count, sizeof(*index->row), compare_rows);
}

void lea_index_done(struct lea_index *index)
{
	free(index->row);
	*index = (struct lea_index){0};
}

const struct lea_index_row *lea_index_find(const struct lea_index *index, const char *key,
					   size_t *ret_count)
{
	size_t low = 0, high = index->count, end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(index->row[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < index->count && !strcmp(index->row[end].key, key); end++)
		;
	*ret_count = end - low;
	return end > low ? &index->row[low] : NULL;
}
