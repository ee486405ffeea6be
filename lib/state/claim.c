/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims as small text files, published whole: one field per line, one PV per line. */
#include "state/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "base/step.h"
#include "state/mark.h"
#include "state/online.h"
#include "world/proc_stat.h"
#include "world/sysfs.h"

#define FOLDER	    "event/claims"
#define MAGIC	    "lvmevent-claim 1"
#define PATH_BYTES  (sizeof(FOLDER) + 34)
#define MAX_BYTES   (4U * 1024 * 1024)
#define LOCK_MS	    2000U
/* Marks a file for lea_claim_forget_at_second: needs no space, and is not true of the file that
 * takes its place. */
#define MODE_MARKED 0700

static const char *const state_names[] = {
	[LEA_CLAIM_CLAIMED] = "claimed",
	[LEA_CLAIM_DONE] = "done",
	[LEA_CLAIM_FAILED] = "failed",
};

/* The claim has decided what becomes of the VG, for an add that has waited for it as well. */
static int end_wait(const struct lea_claims *claims, const char *vg_id,
		    const struct lea_claim *claim)
{
	char path[sizeof("event/" LEA_AWAITED_FOLDER) + 34];
	int r = 0;

	snprintf(path, sizeof(path), "event/" LEA_AWAITED_FOLDER "/%.32s", vg_id);
	if (claim->state != LEA_CLAIM_CLAIMED && !claim->is_transient)
		r = lea_file_remove(claims->run_fd, path);
	return r < 0 ? r : 0;
}

/* Opens event/claims and creates it if necessary. */
static int open_folder(const struct lea_claims *claims)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	int fd = lea_file_open_folder(claims->run_fd, FOLDER);

	if (fd != -ENOENT)
		return fd;
	event_fd = lea_file_open_folder(claims->run_fd, "event");
	return event_fd < 0 ? event_fd : lea_file_open_folder(event_fd, "claims");
}

void lea_claim_done(struct lea_claim *claim)
{
	free(claim->pv);
	memset(claim, 0, sizeof(*claim));
}

/* A zombie counts as dead. */
static int read_start(int proc_fd, pid_t pid, uint64_t *ret_ticks)
{
	struct lea_proc_stat stat;
	int r = lea_proc_stat(proc_fd, pid, &stat);

	if (r)
		return r;
	*ret_ticks = stat.start_ticks;
	return stat.state == 'Z' || stat.state == 'X' ? -ESRCH : 0;
}

static int epoch_now(const struct lea_claims *claims, char ret_epoch[static LEA_EPOCH_BYTES])
{
	struct lea_claims_now *now = claims->now;
	int r = 0;

	if (!now)
		return lea_epoch_now(claims->run_fd, claims->proc_fd, ret_epoch);
	if (!now->epoch[0])
		r = lea_epoch_now(claims->run_fd, claims->proc_fd, now->epoch);
	if (r)
		now->epoch[0] = '\0';
	else
		memcpy(ret_epoch, now->epoch, LEA_EPOCH_BYTES);
	return r;
}

static int own_start(const struct lea_claims *claims, pid_t pid, uint64_t *ret_ticks)
{
	struct lea_claims_now *now = claims->now;
	int r;

	if (now && now->pid == pid) {
		*ret_ticks = now->start_ticks;
		return 0;
	}
	r = read_start(claims->proc_fd, pid, ret_ticks);
	if (!r && now) {
		now->pid = pid;
		now->start_ticks = *ret_ticks;
	}
	return r;
}

/* Does the owner live? 1: yes, 0: no, or the shortage for which it is not known. */
static int ask_owner(const struct lea_claims *claims, const struct lea_claim *claim)
{
	uint64_t ticks = 0;
	const int r = claim->pid > 0 ? read_start(claims->proc_fd, claim->pid, &ticks) : -ESRCH;

	return lea_is_shortage(r) ? r : !r && ticks == claim->start_ticks;
}

int lea_claims_init(struct lea_claims *claims, struct lea_world *world, struct lea_claims_now *now)
{
	*claims = (struct lea_claims){
		.run_fd = lea_world_run(world),
		.proc_fd = lea_world_proc(world),
		.now = now,
		.world = world,
	};
	return claims->run_fd < 0 ? claims->run_fd : claims->proc_fd < 0 ? claims->proc_fd : 0;
}

/* ---- text */

static bool parse_pv(struct lea_claim *claim, const char *value, uint32_t room)
{
	struct lea_claim_pv *pv = &claim->pv[claim->pv_count];

	if (claim->pv_count >= room)
		return false;
	pv->record_ns = LEA_CLAIM_UNKNOWN_NS;
	if (sscanf(value, "%32s %" SCNu32 ":%" SCNu32 " %" SCNu64 " %" SCNu64, pv->pvid,
		   &pv->id.major, &pv->id.minor, &pv->id.diskseq, &pv->record_ns) < 4 ||
	    !lea_id_ok(pv->pvid))
		return false;
	claim->pv_count++;
	return true;
}

static bool parse_state(struct lea_claim *claim, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_names); i++)
		if (!strcmp(value, state_names[i])) {
			claim->state = (enum lea_claim_state)i;
			return true;
		}
	return false;
}

static bool parse_owner(struct lea_claim *claim, const char *value)
{
	long pid;

	if (sscanf(value, "%ld %" SCNu64, &pid, &claim->start_ticks) != 2 || pid < 0)
		return false;
	claim->pid = (pid_t)pid;
	return true;
}

static bool parse_number(const char *value, uint32_t *ret_number)
{
	return sscanf(value, "%" SCNu32, ret_number) == 1;
}

static bool copy(char *to, size_t size, const char *value)
{
	if (strlen(value) >= size)
		return false;
	memcpy(to, value, strlen(value) + 1);
	return true;
}

/* Parses one "key value" line. Skips unknown keys, which a newer version may have written. */
static bool parse_line(struct lea_claim *claim, char *line, uint32_t room,
		       char epoch[static LEA_EPOCH_BYTES])
{
	char *value = strchr(line, ' ');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(line, "pv"))
		return parse_pv(claim, value, room);
	if (!strcmp(line, "state"))
		return parse_state(claim, value);
	if (!strcmp(line, "owner"))
		return parse_owner(claim, value);
	if (!strcmp(line, "vg"))
		return copy(claim->vg_name, sizeof(claim->vg_name), value);
	if (!strcmp(line, "seqno"))
		return parse_number(value, &claim->seqno);
	if (!strcmp(line, "again"))
		return parse_number(value, &claim->again);
	if (!strcmp(line, "turn"))
		return sscanf(value, "%" SCNu64, &claim->turn_ms) == 1;
	if (!strcmp(line, "reason"))
		return copy(claim->reason, sizeof(claim->reason), value);
	if (!strcmp(line, "in-part"))
		return copy(claim->in_part, sizeof(claim->in_part), value);
	if (!strcmp(line, "class")) {
		claim->is_transient = !strcmp(value, "transient");
		claim->is_outdated = !strcmp(value, "outdated");
	}
	if (!strcmp(line, "vgs-online"))
		claim->is_online = !strcmp(value, "made");
	if (!strcmp(line, "needed"))
		claim->is_tagged = !strcmp(value, "tag");
	if (!strcmp(line, "epoch"))
		return copy(epoch, LEA_EPOCH_BYTES, value);
	return true;
}

static uint32_t count_lines(const char *text)
{
	uint32_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static int parse(char *text, struct lea_claim *claim, char epoch[static LEA_EPOCH_BYTES])
{
	uint32_t room = count_lines(text);
	char *line, *save = NULL;

	line = strtok_r(text, "\n", &save);
	if (!line || strcmp(line, MAGIC) != 0)
		return LEA_CLAIM_ABSENT;
	claim->pv = calloc(room, sizeof(*claim->pv));
	if (!claim->pv)
		return -ENOMEM;
	while ((line = strtok_r(NULL, "\n", &save)))
		if (!parse_line(claim, line, room, epoch))
			return LEA_CLAIM_ABSENT;
	qsort(claim->pv, claim->pv_count, sizeof(*claim->pv), lea_compare_text);
	return 0;
}

/* A folder, a link, a FIFO or what is larger than any claim is as good as malformed text. */
static bool may_be_claim(int dir_fd, const char *path)
{
	struct stat st;

	return fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	       (S_ISREG(st.st_mode) && (uint64_t)st.st_size <= MAX_BYTES);
}

/* @path: of the claim, below @dir_fd. Also a claim of an earlier epoch, which is not
 * *ret_is_current. */
static int read_any(const struct lea_claims *claims, int dir_fd, const char *path,
		    struct lea_claim *ret_claim, bool *ret_is_current)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char epoch[LEA_EPOCH_BYTES] = "", now[LEA_EPOCH_BYTES];
	int r = lea_file_read(dir_fd, path, MAX_BYTES, &text, NULL);

	if (r)
		return r < 0 && may_be_claim(dir_fd, path) ? r : LEA_CLAIM_ABSENT;
	r = parse(text, ret_claim, epoch);
	r = r ? r : epoch_now(claims, now);
	*ret_is_current = !r && !strcmp(epoch, now);
	return r;
}

/* Also a claim of a dead owner. */
static int read_path(const struct lea_claims *claims, int dir_fd, const char *path,
		     struct lea_claim *ret_claim)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	bool is_current;
	int r = read_any(claims, dir_fd, path, &claim, &is_current);

	if (r || !is_current)
		return r ? r : LEA_CLAIM_ABSENT;
	r = claim.state == LEA_CLAIM_CLAIMED ? ask_owner(claims, &claim) : 1;
	if (r < 0)
		return r;
	claim.is_orphaned = !r;
	*ret_claim = claim;
	memset(&claim, 0, sizeof(claim));
	return 0;
}

int lea_claim_read_in(const struct lea_claims *claims, int folder_fd, const char *vg_id,
		      struct lea_claim *ret_claim)
{
	return lea_id_ok(vg_id) ? read_path(claims, folder_fd, vg_id, ret_claim) : -EINVAL;
}

static int path_of(const char *vg_id, char path[static PATH_BYTES])
{
	if (!lea_id_ok(vg_id))
		return -EINVAL;
	snprintf(path, PATH_BYTES, FOLDER "/%s", vg_id);
	return 0;
}

static int read_valid(const struct lea_claims *claims, int dir_fd, const char *path,
		      struct lea_claim *ret_claim)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = read_path(claims, dir_fd, path, &claim);

	if (r || claim.is_orphaned)
		return r ? r : LEA_CLAIM_ABSENT;
	*ret_claim = claim;
	memset(&claim, 0, sizeof(claim));
	return 0;
}

int lea_claim_read(const struct lea_claims *claims, const char *vg_id, struct lea_claim *ret_claim)
{
	char path[PATH_BYTES];
	int r = path_of(vg_id, path);

	return r ? r : read_valid(claims, claims->run_fd, path, ret_claim);
}

static void one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = ' ';
}

/* 0: there is no record. */
static uint64_t record_ns(const struct lea_claims *claims, const char *pvid)
{
	struct timespec when = {0};
	const int r = lea_online_written(claims->run_fd, pvid, &when);

	return r < 0 ? LEA_CLAIM_UNKNOWN_NS
		     : (uint64_t)when.tv_sec * 1000000000U + (uint64_t)when.tv_nsec;
}

/* Sorted, so that two claims can be compared line by line. */
static int emit_pvs(const struct lea_claims *claims, FILE *out, const struct lea_claim *claim)
{
	const bool asks = claim->state != LEA_CLAIM_DONE && claim->is_online;
	LEA_AUTO(lea_freep) struct lea_claim_pv *pv = NULL;
	size_t count = claim->pv_count;

	pv = calloc(count + 1, sizeof(*pv));
	if (!pv)
		return -ENOMEM;
	if (count)
		memcpy(pv, claim->pv, count * sizeof(*pv));
	qsort(pv, count, sizeof(*pv), lea_compare_text);
	for (size_t i = 0; i < count; i++) {
		const uint64_t ns = asks ? record_ns(claims, pv[i].pvid) : LEA_CLAIM_UNKNOWN_NS;

		fprintf(out, "pv %s %" PRIu32 ":%" PRIu32 " %" PRIu64, pv[i].pvid, pv[i].id.major,
			pv[i].id.minor, pv[i].id.diskseq);
		if (ns != LEA_CLAIM_UNKNOWN_NS)
			fprintf(out, " %" PRIu64, ns);
		fputc('\n', out);
	}
	return 0;
}

static int store(const struct lea_claims *claims, int folder_fd, const char *vg_id,
		 const struct lea_claim *claim)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char epoch[LEA_EPOCH_BYTES], reason[sizeof(claim->reason)];
	const pid_t pid = getpid();
	uint64_t ticks = 0;
	size_t size = 0;
	FILE *out;
	int r;

	r = epoch_now(claims, epoch);
	r = r ? r : own_start(claims, pid, &ticks);
	if (r)
		return r;
	memcpy(reason, claim->reason, sizeof(reason));
	one_line(reason);
	out = open_memstream(&text, &size);
	if (!out)
		return -errno;
	fprintf(out, MAGIC "\nstate %s\nepoch %s\nowner %ld %" PRIu64 "\nvg %s\n",
		state_names[claim->state], epoch, (long)pid, ticks, claim->vg_name);
	if (claim->seqno)
		fprintf(out, "seqno %" PRIu32 "\n", claim->seqno);
	if (claim->turn_ms)
		fprintf(out, "turn %" PRIu64 "\n", claim->turn_ms);
	if (reason[0])
		fprintf(out, "reason %s\n", reason);
	if (claim->in_part[0])
		fprintf(out, "in-part %s\n", claim->in_part);
	if (claim->state == LEA_CLAIM_FAILED && (claim->is_transient || claim->is_outdated))
		fprintf(out, "class %s\n", claim->is_outdated ? "outdated" : "transient");
	if (claim->state != LEA_CLAIM_DONE && claim->again)
		fprintf(out, "again %" PRIu32 "\n", claim->again);
	if (claim->state != LEA_CLAIM_DONE && claim->is_online)
		fprintf(out, "vgs-online made\n");
	if (claim->is_tagged)
		fprintf(out, "needed tag\n");
	r = emit_pvs(claims, out, claim);
	if (fclose(out) != 0 && !r)
		r = -ENOMEM;
	return r ? r : lea_file_replace(folder_fd, vg_id, text, size);
}

/* Makes check and write one step. Who has the lock is at the same step, or was stopped. */
static int lock(const struct lea_claims *claims, const char *vg_id, int *ret_folder_fd)
{
	*ret_folder_fd = lea_id_ok(vg_id) ? open_folder(claims) : -EINVAL;
	return *ret_folder_fd < 0 ? *ret_folder_fd : lea_file_lock(*ret_folder_fd, LOCK_MS);
}

bool lea_claim_has_gone(const struct lea_claims *claims, const struct lea_claim *claim)
{
	if (claim->state != LEA_CLAIM_DONE || !claims->world)
		return false;
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (lea_sysfs_find_instance(claims->world, &claim->pv[i].id) != LEA_SYSFS_ABSENT)
			return false;
	return true;
}

bool lea_claim_is_of_other(const struct lea_claim *claim)
{
	return claim->state == LEA_CLAIM_CLAIMED && claim->pid != getpid();
}

int lea_claim_take(const struct lea_claims *claims, const char *vg_id,
		   const struct lea_claim *claim)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	LEA_AUTO(lea_claim_done) struct lea_claim old = {0};
	struct lea_claim mine = *claim;
	bool is_open;
	int r = lock(claims, vg_id, &folder_fd);

	if (r)
		return r;
	LEA_CRASHPOINT("claim.begin", vg_id);
	r = read_valid(claims, folder_fd, vg_id, &old);
	if (r < 0)
		return r;
	if (r == 0 && lea_claim_is_of_other(&old)) {
		LEA_CRASHPOINT("claim.held", vg_id);
		return LEA_CLAIM_HELD;
	}
	mine.state = LEA_CLAIM_CLAIMED;
	mine.reason[0] = '\0';
	mine.in_part[0] = '\0';
	mine.is_transient = false;
	is_open = r == 0 && old.state == LEA_CLAIM_CLAIMED;
	r = store(claims, folder_fd, vg_id, &mine);
	if (r)
		return r;
	LEA_CRASHPOINT("claim.taken", vg_id);
	return is_open ? LEA_CLAIM_OVERTOOK : 0;
}

int lea_claim_finish(const struct lea_claims *claims, const char *vg_id,
		     const struct lea_claim *claim)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(claims);
	int r;

	if (!lea_id_ok(vg_id))
		return -EINVAL;
	r = folder_fd < 0 ? folder_fd : 0;
	/* First, as what is kept after its claim would stay: a person may take the VG down then, and by
	 * the mark the next change would bring it up. */
	if (!r && claim->state == LEA_CLAIM_DONE && claim->is_online)
		r = lea_vg_online_release(claims->run_fd, claim->vg_name);
	r = r ? r : end_wait(claims, vg_id, claim);
	r = r ? r : store(claims, folder_fd, vg_id, claim);
	if (r == 0)
		LEA_CRASHPOINT("claim.end", vg_id);
	return r;
}

/* Has the PV another record than when the claim was stored? False only if the kernel says that it
 * has none, or the same, or if the claim does not say. */
static bool is_rewritten(const struct lea_claims *claims, const struct lea_claim_pv *pv)
{
	const uint64_t ns = record_ns(claims, pv->pvid);

	return ns && ns != pv->record_ns && pv->record_ns != LEA_CLAIM_UNKNOWN_NS;
}

bool lea_claim_was_cleared(const struct lea_claims *claims, const struct lea_claim *claim)
{
	bool is = false;

	if (lea_vg_online_may_exist(claims->run_fd, claim->vg_name))
		return false;
	for (uint32_t i = 0; !is && i < claim->pv_count; i++)
		is = is_rewritten(claims, &claim->pv[i]);
	return is;
}

int lea_claim_ask_online(const struct lea_claims *claims, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim stored = {0};
	const int r = lea_claim_read(claims, vg_id, &stored);

	return r ? (r < 0 ? r : 0)
		 : stored.is_online && !lea_claim_was_cleared(claims, &stored);
}

int lea_claim_left_online(const struct lea_claims *claims, const char *vg_id, const char *vg_name)
{
	LEA_AUTO(lea_claim_done) struct lea_claim left = {0};
	char path[PATH_BYTES];
	bool is_current;
	int r = path_of(vg_id, path);

	r = r ? r : read_any(claims, claims->run_fd, path, &left, &is_current);
	return r < 0 ? r : r == 0 && left.state != LEA_CLAIM_DONE && !strcmp(left.vg_name, vg_name);
}

static struct lea_claim_pv *find(const struct lea_claim *claim, const struct lea_claim_pv *pv)
{
	return claim->pv_count
		       ? bsearch(pv, claim->pv, claim->pv_count, sizeof(*pv), lea_compare_text)
		       : NULL;
}

/* Does the turn that has stored @now count, and not the earlier one that reports @claim? */
static bool counts(const struct lea_claim *now, const struct lea_claim *claim)
{
	return now->turn_ms > claim->turn_ms &&
	       (claim->state == LEA_CLAIM_FAILED || now->state == LEA_CLAIM_CLAIMED ||
		(now->state == LEA_CLAIM_FAILED && now->is_transient));
}

int lea_claim_report(const struct lea_claims *claims, const char *vg_id,
		     const struct lea_claim *claim)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	LEA_AUTO(lea_claim_done) struct lea_claim now = {0};
	int r = lock(claims, vg_id, &folder_fd);

	r = r ? r : read_valid(claims, folder_fd, vg_id, &now);
	if (r == 0 && counts(&now, claim))
		return LEA_CLAIM_REPLACED;
	return r < 0 ? r : lea_claim_finish(claims, vg_id, claim);
}

enum whose {
	NOBODYS,
	THIS_TURNS,
	ANOTHERS, /* or it has ended */
};

/* Whose is the stored claim? With the lock, for which a next turn waits with its own. Returns an enum
 * whose, or -errno. */
static int lock_turn(const struct lea_claims *claims, const char *vg_id, uint64_t turn_ms,
		     int *ret_folder_fd)
{
	LEA_AUTO(lea_claim_done) struct lea_claim now = {0};
	int r = lock(claims, vg_id, ret_folder_fd);

	r = r ? r : read_valid(claims, *ret_folder_fd, vg_id, &now);
	if (r)
		return r < 0 ? r : NOBODYS;
	return now.state == LEA_CLAIM_CLAIMED && now.turn_ms == turn_ms ? THIS_TURNS : ANOTHERS;
}

int lea_claim_keep_online(const struct lea_claims *claims, const char *vg_id, const char *vg_name,
			  uint64_t turn_ms)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	int r = lock_turn(claims, vg_id, turn_ms, &folder_fd);

	r = r == THIS_TURNS ? lea_vg_online_claim(claims->run_fd, vg_name) : r;
	return r < 0 ? r : 0;
}

int lea_claim_drop_online(const struct lea_claims *claims, const char *vg_id, const char *vg_name,
			  uint64_t turn_ms)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	int r = lock_turn(claims, vg_id, turn_ms, &folder_fd);

	r = r == THIS_TURNS || r == NOBODYS ? lea_vg_online_drop(claims->run_fd, vg_name) : r;
	return r < 0 ? r : 0;
}

int lea_claim_extend(const struct lea_claims *claims, const char *vg_id, const struct lea_claim *by)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	LEA_AUTO(lea_claim_done) struct lea_claim now = {0};
	int r = lock(claims, vg_id, &folder_fd);

	r = r ? r : read_valid(claims, folder_fd, vg_id, &now);
	if (r || lea_claim_is_of_other(&now))
		return r < 0 ? r : 0;
	/* With new times of the records it would seem that a person has taken the VG down. */
	if (now.state == LEA_CLAIM_FAILED &&
	    (!now.is_transient || lea_claim_was_cleared(claims, &now)))
		return 0;
	/* It was activated with that one, if at all. */
	if (now.state == LEA_CLAIM_DONE && lea_claim_shares_pv(&now, by))
		snprintf(now.reason, sizeof(now.reason),
			 "a PV of it is on another device by now: left as it is");
	for (uint32_t i = 0; !r && i < by->pv_count; i++)
		r = lea_claim_put(&now, &by->pv[i]);
	return r ? r : lea_claim_finish(claims, vg_id, &now);
}

int lea_claim_drop(const struct lea_claims *claims, const char *vg_id)
{
	char path[PATH_BYTES];
	int r = path_of(vg_id, path);

	r = r ? r : lea_file_remove(claims->run_fd, path);
	return r < 0 ? r : 0;
}

int lea_claim_forget(const struct lea_claims *claims, const char *vg_id,
		     const struct lea_claim *claim, bool is_shared)
{
	int r = 0;

	/* Nor that of a VG which is done. */
	if (claim->state != LEA_CLAIM_DONE && claim->is_online && !is_shared)
		r = lea_vg_online_drop_kept(claims->run_fd, claim->vg_name);
	return r < 0 ? r : lea_claim_drop(claims, vg_id);
}

int lea_claim_mark_gone(const struct lea_claims *claims, const char *vg_id)
{
	char path[PATH_BYTES];
	struct stat st;
	int r = path_of(vg_id, path);

	if (r)
		return r;
	if (fstatat(claims->run_fd, path, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if ((st.st_mode & MODE_MARKED) == MODE_MARKED)
		return 1;
	return fchmodat(claims->run_fd, path, MODE_MARKED, 0) && errno != ENOENT ? -errno : 0;
}

bool lea_claim_covers(const struct lea_claim *claim, const struct lea_claim_pv *pv, uint32_t count)
{
	const struct lea_claim_pv *mine;

	for (uint32_t i = 0; i < count; i++) {
		mine = find(claim, &pv[i]);
		if (!mine || !lea_devid_is_same(&mine->id, &pv[i].id))
			return false;
	}
	return true;
}

bool lea_claim_shares_pv(const struct lea_claim *one, const struct lea_claim *other)
{
	for (uint32_t i = 0; i < other->pv_count; i++)
		if (find(one, &other->pv[i]))
			return true;
	return false;
}

int lea_claim_put(struct lea_claim *claim, const struct lea_claim_pv *pv)
{
	struct lea_claim_pv *bigger, *mine = find(claim, pv);
	uint32_t at = claim->pv_count;

	if (mine) {
		*mine = *pv;
		return 0;
	}
	bigger = reallocarray(claim->pv, (size_t)claim->pv_count + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	claim->pv = bigger;
	for (; at > 0 && lea_compare_text(pv, &bigger[at - 1]) < 0; at--)
		bigger[at] = bigger[at - 1];
	bigger[at] = *pv;
	claim->pv_count++;
	return 0;
}

int lea_claim_each(const struct lea_claims *claims,
		   int (*tell)(void *arg, const char *vg_id, const struct lea_claim *claim),
		   void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = 0, fd = open_folder(claims);

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = lea_file_next(dir, &r))) {
		LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};

		if (!lea_id_ok(entry->d_name))
			continue;
		r = lea_claim_read_in(claims, fd, entry->d_name, &claim);
		r = r == 0 ? tell(arg, entry->d_name, &claim) : r < 0 ? r : 0;
	}
	return r;
}

/* A claim that cannot be read goes as well: nobody could believe it. */
static void forget(const struct lea_claims *claims, int folder_fd, const char *vg_id)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	bool is_current;
	int r = read_any(claims, folder_fd, vg_id, &claim, &is_current);

	if (r == 0 && claim.state != LEA_CLAIM_DONE)
		r = lea_vg_online_drop(claims->run_fd, claim.vg_name);
	/* While its vgs_online is there the claim tells where that came from. */
	if (r >= 0)
		unlinkat(folder_fd, vg_id, 0);
}

void lea_claims_end_epoch(const struct lea_claims *claims)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(claims->run_fd, FOLDER, &dir);

	while ((entry = lea_file_next(dir, &r)))
		forget(claims, dirfd(dir), entry->d_name);
}
