/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out the steps of a history, and tells the state. */
#include "sim/machine_private.h"

#include "base/cleanup.h"
#include "state/reconcile_request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <libdevmapper.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROOT	   "/dev/shm/lea-sim-"
#define BEGIN_MS   20000U
#define SLICES_MS  600000U /* between two looks at whether all is at rest */
#define LEFT_BYTES 4096U
#define COMMAND_MS 1500U
#define BLOCKED_MS 120000U

static uint32_t boots;

/* ---- the tree */

static void write_tree(void)
{
	static const char *const folders[] = {
		"/proc",
		"/proc/self",
		"/proc/sys",
		"/proc/sys/kernel",
		"/proc/sys/kernel/random",
		"/sys",
		"/sys/kernel",
		"/sys/class",
		"/sys/class/block",
		"/sys/dev",
		"/sys/dev/block",
		"/dev",
		"/run",
		"/run/lvm",
		"/run/lock",
		"/run/lock/lvm",
		"/run/udev",
		"/run/udev/data",
		"/run/udev/tags",
		"/run/udev/tags/lvmevent",
		"/run/systemd",
		"/run/systemd/system",
		"/etc",
		"/etc/lvm",
		"/etc/lvm/devices",
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		sim_mkdir(folders[i]);
	sim_put("/proc/devices", "Block devices:\n  8 sd\n253 device-mapper\n");
	sim_put("/proc/self/mountinfo", "%s", "");
	sim_put("/sys/kernel/uevent_seqnum", "0\n");
	sim_put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	sim_mkdir("/var");
	sim_mkdir("/var/lib");
}

static void write_boot_id(void)
{
	sim_put("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-%012u\n", ++boots);
}

static void write_own_conf(void)
{
	const uint32_t conf = sim.history->conf;

	sim_put("/etc/lvm/lvmevent.conf", "event {\n%s%s%s}\n",
		conf & SIM_CONF_DEGRADED  ? "\tincomplete = [ \"degraded\" ]\n"
					    "\tincomplete_wait_ms = [ \"5000\" ]\n"
		: conf & SIM_CONF_PARTIAL ? "\tincomplete = [ \"partial\" ]\n"
					    "\tincomplete_wait_ms = [ \"5000\" ]\n"
					  : "",
		conf & SIM_CONF_PROBE ? "\tprobe_deadline_ms = 1000\n" : "", /* SIM_PROBE_MS */
		sim.history->boot ? "\tneeded = [ \"vg0\", \"vg1\" ]\n" : "");
}

static void clear_run(void)
{
	sim_clear("/run");
	write_tree();
	if (!(sim.history->conf & SIM_CONF_NO_LINKS))
		sim_mkdir("/run/udev/links");
}

static void kill_one(struct sim_proc *proc, void *arg)
{
	(void)arg;
	proc->is_doomed = false;
	sim_kill(proc);
}

static void kill_all(void)
{
	sim_is_stopping = true;
	sim_each_proc(kill_one, NULL);
	sim_run_until(sim.now_ms);
	sim_proc_clear();
	sim_calls_reset();
}

static void reboot(bool is_soft)
{
	kill_all();
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		sim_unit[disk].loses = false;
	sim_udev_stop();
	if (!is_soft) {
		clear_run();
		sim_udev_reset();
		sim_dm_reset();
		sim_disk_reboot();
		write_boot_id();
	}
	sim_boot();
}

/* ---- state */

static void tell_disk(const struct sim_unit *unit, struct sim_disk *disk)
{
	const struct sim_content *on = &unit->on;

	*disk = (struct sim_disk){.is_there = unit->is_there,
				  .is_pv = on->is_pv,
				  .hangs = unit->hangs,
				  .fails = unit->fails,
				  .is_suspended = unit->is_suspended,
				  .slow_ms = unit->slow_ms,
				  .major = 8,
				  .minor = sim_disk_minor(unit),
				  .diskseq = unit->diskseq,
				  .is_rejected = unit->is_rejected,
				  .is_listed_by_pvid = unit->is_listed_by_pvid,
				  .listing = unit->listing,
				  .of = unit->of};
	memcpy(disk->wwid, unit->wwid, sizeof(disk->wwid));
	memcpy(disk->serial, unit->serial, sizeof(disk->serial));
	if (on->is_pv)
		memcpy(disk->pvid, on->pvid, sizeof(disk->pvid));
	if (!on->is_pv || !on->has_vg)
		return;
	memcpy(disk->vg_id, on->vg.id, sizeof(disk->vg_id));
	memcpy(disk->vg_name, on->vg.name, sizeof(disk->vg_name));
	disk->seqno = on->vg.seqno;
	disk->is_exported = on->vg.is_exported;
	disk->is_foreign = on->vg.is_foreign;
	disk->pv_count = on->vg.pv_count;
	disk->type = on->vg.type;
	memcpy(disk->pv, on->vg.pv, sizeof(disk->pv));
}

static bool is_visible(const char *name)
{
	static const char *const parts[] = {"_rimage_", "_rmeta_", "_tmeta", "_tdata",
					    "-tpool",	"-real",   "-cow",   "-missing_"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i]))
			return false;
	return true;
}

/* What an activation before, perhaps a command's, has left as it was says nothing about the last.
 */
static void tell_last(const struct sim_node *node, struct sim_active *active)
{
	if (node->at_ms < active->at_ms)
		return;
	if (node->at_ms > active->at_ms || node->seqno < active->seqno)
		active->seqno = node->seqno;
	active->at_ms = node->at_ms;
}

static void tell_node(const struct sim_node *node, struct sim_state *state)
{
	struct sim_active *active = NULL;

	if (!node->exists || strncmp(node->uuid, "LVM-", 4) != 0)
		return;
	for (uint32_t i = 0; i < state->active_count; i++)
		if (!strncmp(state->active[i].vg_id, node->uuid + 4, 32))
			active = &state->active[i];
	if (!active) {
		if (state->active_count == SIM_ACTIVE_MOST)
			return;
		active = &state->active[state->active_count++];
		*active = (struct sim_active){.lvs = 0};
		memcpy(active->vg_id, node->uuid + 4, 32);
	}
	if (is_visible(node->name)) {
		active->lvs += node->has_table;
		active->by_us = active->by_us || node->is_by_us;
		tell_last(node, active);
	}
	active->has_error_target = active->has_error_target || strstr(node->table, " error");
	for (uint32_t i = 0; i < node->ref_count; i++) {
		const struct sim_unit *unit = &sim_unit[node->ref[i].disk];

		if (unit->is_there && unit->instance == node->ref[i].instance)
			active->disks |= 1U << node->ref[i].disk;
		else
			active->lost_disks++;
	}
}

static void count_command(struct sim_proc *proc, void *arg)
{
	const struct sim_step *step = proc->arg;
	struct sim_state *state = arg;

	if (!strcmp(proc->role, "lvm") && proc->main == proc && proc->state != SIM_ENDED && step &&
	    step->op != SIM_LOCK_VG && step->op != SIM_LOCK_LIST)
		state->pending_commands++;
}

static void tell(const struct sim_step *step, bool at_rest)
{
	struct sim_state state = {
		.now_ms = sim.now_ms, .at_rest = at_rest, .killed_ms = sim.killed_ms};

	if (!sim.watcher || !sim.watcher->after)
		return;
	memcpy(state.taken_down, sim_taken_down, sizeof(sim_taken_down));
	state.taken_down_count = sim_taken_down_count;
	sim_taken_down_count = 0;
	sim_judge();
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		tell_disk(&sim_unit[disk], &state.disk[disk]);
	for (uint32_t i = 0; i < SIM_NODES; i++)
		tell_node(&sim_node[i], &state);
	for (uint32_t v = 0; v < SIM_VGS; v++)
		if (sim_vg[v].exists)
			memcpy(state.vg[v], sim_vg[v].id, sizeof(state.vg[v]));
	sim_each_proc(count_command, &state);
	sim.watcher->after(sim.watcher->arg, step, &state);
}

/* ---- steps */

static void unplug(uint32_t disk)
{
	if (!sim_unit[disk].is_there)
		return;
	sim_udev_event(disk, SIM_GONE);
	sim_disk_unplug(disk);
}

static void plug(uint32_t disk, bool same_number)
{
	if (sim_unit[disk].is_there)
		return;
	sim_disk_plug(disk, same_number);
	sim_udev_event(disk, SIM_ADD);
}

static void copy(uint32_t from, uint32_t to, uint32_t twin)
{
	struct sim_unit *a = &sim_unit[from], *b = &sim_unit[to];

	if (from == to || b->is_there || !a->on.is_pv)
		return;
	b->on = a->on;
	b->of = (int)from;
	snprintf(b->wwid, sizeof(b->wwid), "naa.5000c500000000%02x", to);
	snprintf(b->serial, sizeof(b->serial), "35000c500000000%02x", to);
	if (twin == SIM_TWIN_PATH)
		memcpy(b->wwid, a->wwid, sizeof(b->wwid));
	if (twin == SIM_TWIN_SERIAL)
		b->wwid[0] = '\0';
	if (twin != SIM_TWIN_COPY)
		memcpy(b->serial, a->serial, sizeof(b->serial));
	sim_disk_write(to);
}

static void swap(uint32_t a, uint32_t b)
{
	const uint32_t index = sim_unit[a].index;

	if (a == b || !sim_unit[a].is_there || !sim_unit[b].is_there)
		return;
	unplug(a);
	unplug(b);
	sim_unit[a].index = sim_unit[b].index;
	sim_unit[b].index = index;
	plug(a, true);
	plug(b, true);
}

static int overflow_child(void *arg)
{
	char path[128];
	int fd;

	(void)arg;
	snprintf(path, sizeof(path), "%s/run/lvm/event", sim.root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && lea_reconcile_request_put(fd) < 0)
		return 1;
	return 0;
}

/* At once, or at its n-th point from now. A child that does nothing at present is spared for the
 * next one. */
static void note_reading(struct sim_proc *proc, void *arg)
{
	*(bool *)arg |= proc->in_disk;
}

/* A child that waits for work: its death would be of no interest. */
static bool is_idle(struct sim_proc *proc)
{
	bool reads = proc->in_disk;

	sim_each_thread(proc, note_reading, &reads);
	return !reads && proc->state == SIM_WAITS && !strcmp(proc->waits_in, "recv");
}

static void kill_later(const char *role, uint32_t n, bool is_child)
{
	struct sim_proc *proc = sim_find_role(role);

	if (!proc || (is_child && is_idle(proc)))
		sim_kill_next(role, n ? n : 1 + sim_draw(30));
	else if (n)
		proc->kill_in = n;
	else
		sim_kill(proc);
}

static void do_disk_step(const struct sim_step *step)
{
	struct sim_unit *unit = &sim_unit[step->a];

	switch ((int)step->op) {
	case SIM_PLUG:
		plug(step->a, step->n == 1);
		break;
	case SIM_UNPLUG:
		unplug(step->a);
		break;
	case SIM_SLOW:
		unit->slow_ms = step->n; /* also before it is plugged in */
		break;
	case SIM_HANG:
		unit->hangs = true;
		break;
	case SIM_SUSPEND:
		unit->is_suspended = unit->is_there;
		break;
	case SIM_FAIL:
		unit->fails = true;
		break;
	case SIM_HEAL:
		unit->hangs = unit->fails = unit->is_suspended = false;
		unit->slow_ms = 0;
		break;
	case SIM_COPY:
		if (step->b < SIM_DISKS)
			copy(step->a, step->b, step->n);
		break;
	case SIM_SWAP:
		if (step->b < SIM_DISKS)
			swap(step->a, step->b);
		break;
	case SIM_WIPE:
		unit->on = (struct sim_content){.is_pv = false};
		unit->of = -1;
		sim_disk_write(step->a);
		if (unit->is_there)
			sim_udev_event(step->a, SIM_CHANGED);
		break;
	case SIM_DELAY:
		unit->delay_ms = step->n;
		break;
	case SIM_LOSE:
		unit->loses = true;
		break;
	case SIM_REPEAT:
		if (unit->is_there)
			sim_udev_event(step->a, SIM_SYNTH);
		break;
	case SIM_CHANGE:
		if (unit->is_there)
			sim_udev_event(step->a, SIM_CHANGED);
		break;
	default:
		break;
	}
}

static bool is_at_work(const struct sim_proc *proc)
{
	return proc && proc->is_used && proc->state != SIM_ENDED;
}

/* What a command does belongs to its step, unless it waits long for a lock. */
static void let_command_end(pid_t pid)
{
	const uint64_t limit_ms = sim.now_ms + COMMAND_MS;

	while (pid && !sim.is_over && is_at_work(sim_find(pid)) && sim.now_ms < limit_ms)
		sim_run_until(sim_next_ms() < limit_ms ? sim_next_ms() : limit_ms);
}

static bool is_of_disk(enum sim_op op)
{
	return op <= SIM_SUSPEND || (op >= SIM_DELAY && op <= SIM_CHANGE);
}

static void do_service_step(const struct sim_step *step)
{
	switch ((int)step->op) {
	case SIM_OVERFLOW:
		sim_start("enqueue", overflow_child, NULL, NULL);
		break;
	case SIM_KILL:
		kill_later(sim_is_booting && sim_find_role("boot") ? "boot" : "run", step->n,
			   false);
		break;
	case SIM_KILL_WORKER:
		kill_later("worker", step->n, true);
		break;
	case SIM_KILL_READER:
		kill_later("probe", step->n, true);
		break;
	case SIM_RESTART:
		sim_is_replaced = true;
		break;
	case SIM_SWEEP:
		sim_start("sweep", sim_sweep_child, NULL, NULL);
		break;
	case SIM_FULL:
		sim_room = (int)step->n;
		break;
	case SIM_SHORT:
		sim_shorts = step->n;
		sim_shorts_after = 0;
		break;
	case SIM_SHORT_ONCE:
		sim_shorts = 1;
		sim_shorts_after = step->n;
		break;
	case SIM_ROOM:
		sim_room = -1;
		sim_shorts = 0;
		break;
	case SIM_SOFT_REBOOT:
	case SIM_REBOOT:
		reboot(step->op == SIM_SOFT_REBOOT);
		break;
	case SIM_WAIT:
		sim_run_until(sim.now_ms + step->n);
		break;
	default:
		break;
	}
}

static void do_step(const struct sim_step *step)
{
	if (is_of_disk(step->op) && step->a < SIM_DISKS)
		do_disk_step(step);
	else if (step->op >= SIM_CREATE && step->op <= SIM_PVSCAN)
		let_command_end(sim_lvm_step(step));
	else if (!is_of_disk(step->op))
		do_service_step(step);
}

/* Often nothing, sometimes enough for a pass, or for the pauses after it. */
static uint64_t draw_gap(void)
{
	switch (sim_draw(4)) {
	case 0:
		return 0;
	case 1:
		return sim_draw(50);
	case 2:
		return sim_draw(1000);
	default:
		return sim_draw(3000);
	}
}

/* ---- what is left */

static void keep_left(struct sim_end *end, const char *path, const char *text)
{
	struct sim_left *left = realloc(end->left, (end->left_count + 1) * sizeof(*left));

	if (!left)
		return;
	end->left = left;
	left[end->left_count++] = (struct sim_left){strdup(path), strdup(text)};
}

struct collection {
	struct sim_end *end;
	const char *path; /* of the folder */
};

static void collect(void *arg, const char *name, bool is_folder)
{
	const struct collection *collection = arg;
	char path[SIM_PATH], text[LEFT_BYTES];
	struct collection below = {collection->end, path};
	struct sim_inode *inode;
	ssize_t bytes;

	snprintf(path, sizeof(path), "%s/%s", collection->path, name);
	inode = sim_tree_find(sim_tree_root(), path, false);
	if (is_folder) {
		sim_tree_each(inode, collect, &below);
		return;
	}
	bytes = sim_tree_read(inode, text, sizeof(text) - 1, 0);
	text[bytes > 0 ? bytes : 0] = '\0';
	keep_left(collection->end, path, text);
}

void sim_end_done(struct sim_end *end)
{
	for (size_t i = 0; i < end->left_count; i++) {
		free((char *)(uintptr_t)end->left[i].path);
		free((char *)(uintptr_t)end->left[i].text);
	}
	free(end->left);
	end->left = NULL;
	end->left_count = 0;
}

static void check_blocked(struct sim_proc *proc, void *arg)
{
	static const char *const fine[] = {"loop", "sleep", "turn", "poll"};

	(void)arg;
	if ((strcmp(proc->role, "run") && strcmp(proc->role, "boot") &&
	     strcmp(proc->role, "gate")) ||
	    proc->state != SIM_WAITS || sim.now_ms - proc->waits_since < BLOCKED_MS)
		return;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		if (!strcmp(proc->waits_in, fine[i]))
			return;
	sim_break("%s blocked in %s for %" PRIu64 " s",
		  !strcmp(proc->role, "run") ? "runner" : proc->role, proc->waits_in,
		  (sim.now_ms - proc->waits_since) / 1000);
}

/* ---- a history */

static void reset(const struct sim_history *history, const struct sim_watcher *watcher,
		  struct sim_end *end)
{
	sim.history = history;
	sim.watcher = watcher;
	sim.end = end;
	sim.random.at = history->seed;
	sim.now_ms = BEGIN_MS;
	sim.killed_ms = 0;
	sim.now = NULL;
	sim.use = (struct sim_use){0};
	sim.broken[0] = '\0';
	sim.is_over = false;
	sim.slices = 0;
	boots = 0;
	sim_is_replaced = sim_is_booting = sim_is_stopping = false;
	sim_clear("/sys/class/block");
	sim_clear("/sys/dev/block");
	sim_clear("/dev");
	sim_clear("/etc/lvm");
	sim_clear("/var/lib");
	sim_clear("/var");
	clear_run();
	sim_udev_reset();
	sim_dm_reset();
	sim_disk_reset();
	sim_lvm_reset();
	write_own_conf();
	write_boot_id();
}

static bool is_runner_busy(void)
{
	const struct sim_proc *proc = sim_find_role("run");

	return !proc || proc->state != SIM_WAITS || strcmp(proc->waits_in, "loop") != 0 ||
	       sim_next_ms() < sim.now_ms + 200;
}

static void come_to_rest(void)
{
	/* The longest pause of ours is the interval of reconciles: ten minutes. One finds that the
	 * records of a VG are lost, and the second one after that which finds no PV of its claim
	 * ends it. The first interval begins with the runner, perhaps later than the rest. */
	for (int i = 0; i < 4 && !sim.is_over; i++)
		sim_run_until(sim.now_ms + SLICES_MS + 1000);
	/* Not in the middle of a pass, if there is an end of passes. */
	for (int i = 0; i < 120 && !sim.is_over && is_runner_busy(); i++)
		sim_run_until(sim.now_ms + 500);
}

/* When the process ends, libdevmapper tells of pools that killed processes left. */
static void be_silent(int level, const char *file, int line, int dm_errno, const char *format, ...)
{
	(void)level, (void)file, (void)line, (void)dm_errno, (void)format;
}

int sim_run(const struct sim_history *history, const struct sim_watcher *watcher,
	    struct sim_end *ret_end)
{
	struct collection run = {ret_end, "/run"};

	*ret_end = (struct sim_end){.left = NULL};
	reset(history, watcher, ret_end);
	sim_boot();
	for (uint32_t i = 0; i < history->count && !sim.is_over; i++) {
		sim_run_until(sim.now_ms + draw_gap());
		do_step(&history->step[i]);
		sim_run_until(sim.now_ms);
		tell(&history->step[i], false);
	}
	come_to_rest();
	sim_each_proc(check_blocked, NULL);
	tell(NULL, true);
	collect(&run, "lvm", true);
	sim.use.most_heap = sim_heap_used();
	ret_end->use = sim.use;
	memcpy(ret_end->broken, sim.broken, sizeof(ret_end->broken));
	sim_is_stopping = true;
	sim_proc_reset();
	sim_calls_reset();
	sim_heap_reset();
	dm_log_with_errno_init(be_silent);
	return 0;
}

/* Trees of simulators that were killed. */
static void remove_old(void)
{
	char command[192];
	glob_t found;

	if (glob(ROOT "*", GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const long pid = strtol(found.gl_pathv[i] + strlen(ROOT), NULL, 10);

		if (pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH) {
			snprintf(command, sizeof(command), "rm -rf " ROOT "%ld", pid);
			if (system(command))
				break;
		}
	}
	globfree(&found);
}

int sim_begin(void)
{
	int r;

	tzset();
	remove_old();
	snprintf(sim.root, sizeof(sim.root), ROOT "%ld", (long)getpid());
	if (mkdir(sim.root, 0700) < 0 && errno != EEXIST)
		return -errno;
	r = sim_heap_begin();
	r = r ? r : sim_proc_begin();
	r = r ? r : sim_disk_begin();
	if (!r)
		write_tree();
	return r;
}

void sim_finish(void)
{
	char path[128];

	sim_clear("/");
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++) {
		snprintf(path, sizeof(path), "%s/disk%u", sim.root, disk);
		unlink(path);
	}
	rmdir(sim.root);
}

const char *sim_op_name(enum sim_op op)
{
	static const char *const names[SIM_OPS] = {
		"plug",	       "unplug",	 "slow",   "hang",	  "fail",
		"heal",	       "copy",		 "swap",   "wipe",	  "suspend",
		"create",      "remove",	 "down",   "up",	  "extend",
		"reduce",      "reduce-missing", "export", "import",	  "rename",
		"same-name",   "clone",		 "new-id", "touch",	  "act-elsewhere",
		"foreign",     "reject",	 "accept", "list",	  "lock-vg",
		"lock-list",   "pvscan",	 "delay",  "lose",	  "repeat",
		"change",      "overflow",	 "kill",   "kill-worker", "kill-reader",
		"restart",     "sweep",		 "full",   "short",	  "room",
		"soft-reboot", "reboot",	 "wait"};

	return (unsigned int)op < SIM_OPS ? names[op] : "?";
}
