/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two arrays: claims sorted by id, and pointers to them sorted by name. */
#include "state/claim_index.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/id.h"
#include "base/order.h"

struct lea_indexed_claim {
	char id[33]; /* first: claims are sorted by it */
	ino_t inode;
	struct lea_claim claim; /* owned */
};

void lea_claim_index_clear(struct lea_claim_index *index)
{
	for (size_t i = 0; i < index->count; i++)
		lea_claim_done(&index->claim[i].claim);
	free(index->claim);
	free(index->by_name);
	*index = (struct lea_claim_index){0};
}

static struct lea_indexed_claim *find(const struct lea_claim_index *index, const char *id)
{
	return index->count ? bsearch(id, index->claim, index->count, sizeof(*index->claim),
				      lea_compare_text)
			    : NULL;
}

/* Takes the claim over from @old, or reads it. One that is not valid is kept without PVs, so that
 * it is not read again. */
static int add(struct lea_claim_index *index, struct lea_claim_index *old,
	       const struct lea_claims *claims, int folder_fd, const struct dirent *entry)
{
	struct lea_indexed_claim *before = find(old, entry->d_name), *added;
	int r = lea_make_room(&index->claim, &index->room, index->count + 1, sizeof(*index->claim));

	if (r)
		return r;
	added = &index->claim[index->count];
	*added = (struct lea_indexed_claim){.inode = entry->d_ino};
	memcpy(added->id, entry->d_name, sizeof(added->id));
	if (before && before->inode == entry->d_ino) {
		added->claim = before->claim;
		before->claim = (struct lea_claim){0};
	} else {
		r = lea_claim_read_in(claims, folder_fd, entry->d_name, &added->claim);
	}
	if (r < 0)
		return r;
	index->count++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct lea_indexed_claim *const *)a)->claim.vg_name,
		      (*(struct lea_indexed_claim *const *)b)->claim.vg_name);
}

static int compare_name(const void *name, const void *indexed)
{
	return strcmp(name, (*(struct lea_indexed_claim *const *)indexed)->claim.vg_name);
}

static int sort(struct lea_claim_index *index)
{
	index->by_name = calloc(index->count + 1, sizeof(*index->by_name));
	if (!index->by_name)
		return -ENOMEM;
	if (!index->count)
		return 0;
	qsort(index->claim, index->count, sizeof(*index->claim), lea_compare_text);
	for (size_t i = 0; i < index->count; i++)
		index->by_name[i] = &index->claim[i];
	qsort(index->by_name, index->count, sizeof(*index->by_name), compare_names);
	return 0;
}

int lea_claim_index_update(struct lea_claim_index *index, const struct lea_claims *claims)
{
	struct lea_claim_index now = {0};
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(claims->run_fd, "event/claims", &dir);

	if (r == -ENOENT)
		r = 0;
	while (dir && (entry = lea_file_next(dir, &r)))
		if (lea_id_ok(entry->d_name))
			r = add(&now, index, claims, dirfd(dir), entry);
	r = r ? r : sort(&now);
	/* Some claims may have gone over: what is left of the old index is of no use. */
	lea_claim_index_clear(index);
	if (r)
		lea_claim_index_clear(&now);
	else
		*index = now;
	return r;
}

int lea_claim_index_each_named(
	const struct lea_claim_index *index, const struct lea_claims *claims, const char *name,
	int (*tell)(void *arg, const char *vg_id, const struct lea_claim *claim), void *arg)
{
	struct lea_indexed_claim **end = index->by_name + index->count;
	struct lea_indexed_claim **at = index->count
						? bsearch(name, index->by_name, index->count,
							  sizeof(*index->by_name), compare_name)
						: NULL;
	int r = 0;

	while (at && at > index->by_name && !compare_name(name, at - 1))
		at--;
	for (; at && !r && at < end && !compare_name(name, at); at++) {
		LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};

		r = lea_claim_read(claims, (*at)->id, &claim);
		r = r ? (r < 0 ? r : 0) : tell(arg, (*at)->id, &claim);
	}
	return r;
}

struct sharer {
	const struct lea_claims *claims; /* borrowed */
	char vg_id[33];
};

static int stands_behind(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	const struct sharer *sharer = arg;

	return strcmp(vg_id, sharer->vg_id) != 0 &&
	       (claim->state != LEA_CLAIM_FAILED || claim->is_online) &&
	       !lea_claim_has_gone(sharer->claims, claim);
}

int lea_claim_index_is_shared(const struct lea_claim_index *index, const struct lea_claims *claims,
			      const char *name, const char *vg_id)
{
	struct sharer sharer = {.claims = claims};

	snprintf(sharer.vg_id, sizeof(sharer.vg_id), "%s", vg_id);
	return lea_claim_index_each_named(index, claims, name, stands_behind, &sharer);
}

int lea_claim_index_forget(struct lea_claim_index *index, const struct lea_claims *claims,
			   const char *vg_id, const struct lea_claim *claim)
{
	const bool asks = claim->state != LEA_CLAIM_DONE && claim->is_online;
	int r = asks && !index->count ? lea_claim_index_update(index, claims) : 0;

	if (!r && asks)
		r = lea_claim_index_is_shared(index, claims, claim->vg_name, vg_id);
	return r < 0 ? r : lea_claim_forget(claims, vg_id, claim, r > 0);
}

/* By PV, then by instance. The first member of a move is its PV. */
static int compare_pvs(const void *a, const void *b)
{
	const struct lea_claim_pv *left = a, *right = b;
	const int order = strcmp(left->pvid, right->pvid);

	return order ? order : lea_devid_compare(&left->id, &right->id);
}

struct moves {
	const struct lea_claim_move *move; /* [count], sorted */
	size_t count;
};

static const struct lea_claim_move *find_left(const struct moves *moves, const char *vg_id,
					      const struct lea_claim_pv *pv)
{
	const struct lea_claim_move *move =
		bsearch(pv, moves->move, moves->count, sizeof(*moves->move), compare_pvs);

	return move && strcmp(move->vg_id, vg_id) != 0 ? move : NULL;
}

static bool has_any_left(const struct moves *moves, const struct lea_indexed_claim *indexed)
{
	for (uint32_t i = 0; i < indexed->claim.pv_count; i++)
		if (find_left(moves, indexed->id, &indexed->claim.pv[i]))
			return true;
	return false;
}

static int remove_pvs(struct lea_claim_index *index, const struct lea_claims *claims,
		      const char *vg_id, const struct moves *moves)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	uint32_t left = 0;
	int r = lea_claim_read(claims, vg_id, &claim);

	if (r || claim.state == LEA_CLAIM_CLAIMED)
		return r < 0 ? r : 0;
	for (uint32_t i = 0; i < claim.pv_count; i++) {
		const struct lea_claim_move *move = find_left(moves, vg_id, &claim.pv[i]);

		if (!move)
			claim.pv[left++] = claim.pv[i];
		else if (move->has_left)
			*move->has_left = true;
	}
	claim.pv_count = left;
	return left ? lea_claim_finish(claims, vg_id, &claim)
		    : lea_claim_index_forget(index, claims, vg_id, &claim);
}

int lea_claim_index_move_pvs(struct lea_claim_index *index, const struct lea_claims *claims,
			     struct lea_claim_move *moves, size_t count)
{
	const struct moves sorted = {moves, count};
	int r = 0;

	if (!count)
		return 0;
	qsort(moves, count, sizeof(*moves), compare_pvs);
	for (size_t i = 0; !r && i < index->count; i++)
		if (has_any_left(&sorted, &index->claim[i]))
			r = remove_pvs(index, claims, index->claim[i].id, &sorted);
	return r;
}
