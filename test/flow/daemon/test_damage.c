/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run files of which some are damaged, and whole passes and reconciles over them: whatever the
 * files say, no process dies, and passes come to an end. The fuzzers of test/fuzz stop at the
 * parsers; here all that follows works with what the parsers accepted.
 */
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/wait.h>

static void nothing(void)
{
}

const struct fixture fixture = {nothing, nothing};

#define SEEDS	  200
#define SEEDS_RUN 10 /* in one test */

static unsigned int chance; /* one file in so many is damaged */

/* The same numbers on each machine. */
static uint64_t state;

static size_t below(size_t limit)
{
	state = state * 6364136223846793005U + 1442695040888963407U;
	return (size_t)(state >> 33) % limit;
}

static const char *const words[] = {
	"dev:",
	"vg:",
	"\n",
	"8:16",
	"8:32",
	"/",
	"..",
	"pv ",
	"state done\n",
	"kind add\n",
	"kind part\n",
	"action remove\n",
	"name \n",
	"links \n",
	"4294967295",
	"-1",
	"pvid ",
	"owner 0 0\n",
	"18446744073709551615",
};

/* Returns the new length. */
static size_t damage(char *bytes, size_t len)
{
	const size_t at = len ? below(len) : 0;
	const char *word = words[below(ARRAY_SIZE(words))];
	char *line, *end;

	switch (below(4)) {
	case 0:
		return at;
	case 1:
		bytes[at] = (char)below(256);
		return len ? len : 1;
	case 2:
		memcpy(bytes + at, word, strlen(word));
		return at + strlen(word) > len ? at + strlen(word) : len;
	default: /* a line goes */
		line = memchr(bytes + at, '\n', len - at);
		end = line ? memchr(line + 1, '\n', (size_t)(bytes + len - line - 1)) : NULL;
		if (!end)
			return len;
		memmove(line, end, (size_t)(bytes + len - end));
		return len - (size_t)(end - line);
	}
}

static int visit(const char *path, const struct stat *st, int type)
{
	char bytes[4096 + 64];
	ssize_t n;
	int fd;

	if (type != FTW_F || !S_ISREG(st->st_mode) || below(chance))
		return 0;
	fd = open(path, O_RDWR | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, bytes, 4096 - 256);
	for (size_t left = 1 + below(4); n >= 0 && left; left--)
		n = (ssize_t)damage(bytes, (size_t)n);
	ck_assert(n < 0 || (!ftruncate(fd, 0) && pwrite(fd, bytes, (size_t)n, 0) == n));
	close(fd);
	return 0;
}

static const struct {
	const char *sample, *name, *pvid;
	uint32_t minor, diskseq;
} disks[] = {
	{"one-pv", "sda", PVID_ONE, 16, 7},
	{"stripe-a", "sdb", PVID_A, 32, 2},
	{"stripe-b", "sdc", PVID_B, 48, 3},
	{"one-pv", "sdd", PVID_ONE, 64, 9}, /* a copy of the first */
};

static void queue_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		struct lea_entry entry = event(disks[i].name, disks[i].minor, disks[i].diskseq,
					       disks[i].pvid, below(5) == 0);

		entry.kind = (enum lea_entry_kind)below(LEA_ENTRY_KINDS);
		ck_assert_int_eq(lea_queue_put(batch_options.event_fd, &entry), 0);
		lea_device_done(&entry.device);
	}
}

/* Some disks have come; then files are damaged, and the runner goes on. */
static void run_seed(unsigned int seed)
{
	struct lea_reconcile_options options;
	struct lea_reconcile_result result;
	char run[256];

	state = seed;
	chance = 1 + seed % 4;
	setup();
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		machine_plug(disks[i].sample, disks[i].name, disks[i].minor, disks[i].diskseq);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		if (i < 2 || below(2))
			came(disks[i].name, disks[i].minor, disks[i].diskseq, disks[i].pvid);
	queue_all();
	snprintf(run, sizeof(run), "%s/run/lvm", machine.tree.root);
	ck_assert_int_eq(ftw(run, visit, 16), 0);
	options = (struct lea_reconcile_options){
		.world = machine.world, .conf = conf, .event_fd = batch_options.event_fd};
	for (int round = 0; round < 2; round++) {
		(void)!run_queue();
		(void)!lea_reconcile(&options, &result);
		lea_incomplete_log(batch_options.waiting, machine.world);
	}
	teardown();
}

TEST_TIMES(damaged_run_files_end_no_process, SEEDS / SEEDS_RUN)
{
	for (int i = 0; i < SEEDS_RUN; i++) {
		const int seed = _i * SEEDS_RUN + i;
		const pid_t pid = fork();
		int status = 0;

		if (!pid) {
			run_seed((unsigned int)seed);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0, "seed %d: status %d, signal %d", seed, status >> 8,
			      WTERMSIG(status));
	}
}
