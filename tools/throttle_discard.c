/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvmevent throttle --discard: discards an LV in pieces before it is removed, so that no request of
 * minutes stands in the disk's queue while lvremove holds the lock of the VG.
 */
#include "throttle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "command/throttle.h"
#include "session.h"
#include "world/blockdev.h"

#define DEFAULT_CHUNK (256ULL << 20)
#define LEAST_BYTES   (1ULL << 20)
#define MOST_BYTES    (1ULL << 50)

/* "256m", "1g", "500k" or bytes; powers of 1024. */
static bool parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "bkmgt";
	char number[24];
	const size_t digits = strspn(text, "0123456789");
	const char *unit = text[digits] ? strchr(units, text[digits] | 0x20) : units;
	uint64_t count;

	if (!digits || digits >= sizeof(number) || !unit || (text[digits] && text[digits + 1]))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	if (!lea_number_parse(number, MOST_BYTES, &count))
		return false;
	for (; unit > units; unit--)
		if ((count *= 1024) > MOST_BYTES)
			return false;
	*ret_bytes = count;
	return count >= LEAST_BYTES;
}

struct discard {
	struct lea_world *world;
	const char *lv;
	int fd;
	uint64_t size, chunk, rate; /* bytes, bytes a second; rate 0: no bound */
	bool shows;
};

static void show(const struct discard *discard, uint64_t done)
{
	if (discard->shows)
		fprintf(stderr, "\r%s: %llu of %llu MiB discarded ", discard->lv,
			(unsigned long long)(done >> 20),
			(unsigned long long)(discard->size >> 20));
}

/* Sleeps until @done bytes may be done. */
static void keep_rate(const struct discard *discard, uint64_t began_ms, uint64_t done)
{
	struct lea_clock *clock = discard->world->clock;
	const uint64_t due =
		discard->rate ? began_ms + (uint64_t)((double)done * 1000 / (double)discard->rate)
			      : 0;
	const uint64_t now = clock->now_ms(clock);

	if (due > now)
		clock->sleep_ms(clock, due - now);
}

static int discard_all(const struct discard *discard)
{
	const uint64_t began = discard->world->clock->now_ms(discard->world->clock);
	uint64_t done = 0;
	int r = 0;

	while (!r && done < discard->size) {
		const uint64_t rest = discard->size - done;
		const uint64_t len = rest < discard->chunk ? rest : discard->chunk;

		r = lea_blockdev_discard(discard->fd, done, len);
		done += r ? 0 : len;
		show(discard, done);
		keep_rate(discard, began, done);
	}
	if (discard->shows)
		fputc('\n', stderr);
	return r;
}

static int refuse(struct lea_world *world, int fault, const char *lv)
{
	lea_log(world->log, LEA_LOG_ERROR, "throttle: %s: %s", lv,
		fault == -EBUSY
			? "it is mounted, or another program has it open; nothing was discarded"
		: fault == -ENOENT     ? "there is no such active LV"
		: fault == -ENOTBLK    ? "it is no LV"
		: fault == -EOPNOTSUPP ? "its disks take no discards"
				       : strerror(-fault));
	return LEA_EXIT_FAILED;
}

/* VG/LV or /dev/VG/LV: nothing else, so that nobody discards a disk by a slip. */
static char *path_of(struct lea_world *world, const char *lv)
{
	const char *name = !strncmp(lv, "/dev/", 5) ? lv + 5 : lv, *slash = strchr(name, '/');
	char vg[128], *path;

	if (!slash || slash - name >= (ptrdiff_t)sizeof(vg))
		return NULL;
	snprintf(vg, sizeof(vg), "%.*s", (int)(slash - name), name);
	if (!lea_name_ok(vg) || !lea_name_ok(slash + 1))
		return NULL;
	return asprintf(&path, "%s/dev/%s", world->root, name) < 0 ? NULL : path;
}

int lea_throttle_discard(struct lea_world *world, const char *lv, const char *chunk,
			 const char *rate)
{
	struct discard discard = {.world = world,
				  .lv = lv,
				  .fd = -1,
				  .chunk = DEFAULT_CHUNK,
				  .shows = isatty(STDERR_FILENO)};
	LEA_AUTO(lea_freep) char *path = path_of(world, lv);
	int r;

	if (!path || (chunk && !parse_size(chunk, &discard.chunk)) ||
	    (rate && !parse_size(rate, &discard.rate))) {
		fprintf(stderr,
			"  throttle: --discard takes VG/LV; --chunk and --rate a size of at "
			"least 1m\n");
		return LEA_EXIT_PARAMS;
	}
	r = lea_blockdev_open_alone(world, path, &discard.fd, &discard.size);
	r = r ? r : discard_all(&discard);
	lea_closep(&discard.fd);
	return r ? refuse(world, r, lv) : LEA_EXIT_DONE;
}
