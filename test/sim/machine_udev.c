/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev: for each event of a disk it reads the content, keeps database, links and tags, does what
 * our rule says (udev/69-lvmevent.rules.in), starts the enqueuer and tells the monitors. Events of
 * one name follow each other; those of others may overtake them.
 */
#include "sim/machine_private.h"

#include "base/id.h"
#include "daemon/enqueue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES	   26U
#define GIVE_UP_MS 180000U
#define LOOK_MS	   500U
#define TOLD	   64U
#define MONITORS   8U
#define ENV	   20U

/* What an event is about: the disk may be another one when udev gets to it. */
struct event {
	enum sim_action action;
	uint32_t disk, index;
	uint64_t instance, diskseq, seqnum, begun_ms;
	bool was_pv, was_known, has_slept, is_new;
	char uuid[40], first[40];
	char env_text[ENV][160];
	char *env[ENV + 1];
	uint32_t env_count;
};

/* What is broadcast. */
struct told {
	uint32_t index;
	uint64_t diskseq, seqnum;
	bool is_gone, is_pv, is_change, was_in_use, is_written, has_failed;
	char uuid[40];
};

struct lea_udevmon {
	int fd;
	pid_t pid;
	struct told told[TOLD];
	uint32_t first, count;
	bool has_lost;
};

uint64_t sim_seqnum;
bool sim_udev_runs;

static uint64_t free_ms[NAMES];
static uint32_t open_events;
static struct lea_udevmon *monitors[MONITORS];
static char db[NAMES][1024]; /* "KEY=value" lines; "": no entry */

static bool has_disk_numbers(void)
{
	return !(sim.history->conf & SIM_CONF_NO_DISKSEQ);
}

bool sim_udev_is_busy(void)
{
	return open_events > 0;
}

static void note_open(int change)
{
	const bool was = open_events > 0;

	open_events = (uint32_t)((int)open_events + change);
	if (open_events && !was)
		sim_put("/run/udev/queue", "%s", "");
	if (!open_events && was)
		sim_unlink("/run/udev/queue");
}

static bool exists(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool exists(const char *format, ...)
{
	char path[SIM_PATH];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return sim_exists(path);
}

/* ---- database */

static void number_text(uint64_t diskseq, char text[static 32])
{
	text[0] = '\0';
	if (has_disk_numbers())
		snprintf(text, 32, "%" PRIu64, diskseq);
}

static void link_path(const char *uuid, uint32_t index, bool is_folder, char path[static SIM_PATH])
{
	snprintf(path, SIM_PATH, "/run/udev/links/\\x2fdisk\\x2fby-id\\x2flvm-pv-uuid-%s", uuid);
	if (!is_folder)
		snprintf(path + strlen(path), SIM_PATH - strlen(path), "/b8:%u", index * 16);
}

static void drop_link(const char *uuid, uint32_t index)
{
	char path[SIM_PATH];

	if (!uuid[0] || sim.history->conf & SIM_CONF_NO_LINKS)
		return;
	link_path(uuid, index, false, path);
	sim_unlink(path);
	link_path(uuid, index, true, path);
	sim_unlink(path); /* as long as others have the link it stays */
}

static void put_link(const char *uuid, uint32_t index)
{
	char path[SIM_PATH];

	if (sim.history->conf & SIM_CONF_NO_LINKS)
		return;
	link_path(uuid, index, true, path);
	sim_mkdir(path);
	link_path(uuid, index, false, path);
	sim_put(path, "0:/dev/sd%c", 'a' + (int)index);
}

/* The folder's stamp is how others see that udev makes progress. */
static void stamp(void)
{
	sim_tree_set_time(sim_tree_find(sim_tree_root(), "/run/udev/data", false),
			  (time_t)sim_seqnum + 1000);
}

static void put_db(const struct sim_unit *unit, const struct event *event, const char *uuid)
{
	char path[64], text[1400] = "", *line, *state = NULL, copy[1024], skipped[48] = "";
	size_t used;
	const uint32_t index = unit->index;

	if (unit->skipped)
		snprintf(skipped, sizeof(skipped), "LVMEVENT_SKIPPED=%" PRIu64 "\n", unit->skipped);
	snprintf(db[index], sizeof(db[index]),
		 "ID_SERIAL=%s\nID_WWN=0x%.16s\nUSEC_INITIALIZED=%" PRIu64
		 "\nLVMEVENT_FIRST=%s\n%s%s%s%s%s%s%s",
		 unit->serial, unit->wwid + 4, unit->initialized_us, unit->first, skipped,
		 uuid[0] ? "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" : "", uuid, uuid[0] ? "\n" : "",
		 uuid[0] ? "ID_FS_UUID_ENC=" : "", uuid, uuid[0] ? "\n" : "");
	used = (size_t)snprintf(text, sizeof(text), "%sI:%" PRIu64 "\n",
				uuid[0] ? "S:disk/by-id/lvm-pv-uuid-" : "", unit->initialized_us);
	if (uuid[0])
		used = (size_t)snprintf(text, sizeof(text),
					"S:disk/by-id/lvm-pv-uuid-%s\nI:%" PRIu64 "\n", uuid,
					unit->initialized_us);
	snprintf(copy, sizeof(copy), "%s", db[index]);
	for (line = strtok_r(copy, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "E:%s\n", line);
	if (unit->has_tag)
		snprintf(text + used, sizeof(text) - used, "G:lvmevent\nQ:lvmevent\nV:1\n");
	(void)event;
	snprintf(path, sizeof(path), "/run/udev/data/b8:%u", index * 16);
	sim_put(path, "%s", text);
	stamp();
}

/* Of the number's entry, perhaps that of another disk which had the number; "": none. */
static void uuid_of_entry(uint32_t index, char uuid[static 40])
{
	const char *at = strstr(db[index], "ID_FS_UUID=");

	uuid[0] = '\0';
	if (at)
		sscanf(at, "ID_FS_UUID=%39s", uuid);
}

static void drop_db(uint32_t index)
{
	char path[64];

	db[index][0] = '\0';
	snprintf(path, sizeof(path), "/run/udev/data/b8:%u", index * 16);
	sim_unlink(path);
	snprintf(path, sizeof(path), "/run/udev/tags/lvmevent/b8:%u", index * 16);
	sim_unlink(path);
	stamp();
}

/* ---- broadcasts */

static void tell(const struct told *told)
{
	for (uint32_t i = 0; i < MONITORS; i++) {
		struct lea_udevmon *monitor = monitors[i];

		if (!monitor)
			continue;
		if (monitor->count == TOLD) {
			monitor->has_lost = true;
			continue;
		}
		monitor->told[(monitor->first + monitor->count++) % TOLD] = *told;
	}
}

static bool is_alive(const struct lea_udevmon *monitor)
{
	const struct sim_proc *proc = sim_find(monitor->pid);

	return proc && proc->state != SIM_ENDED;
}

static int listen_to(const char *tag, struct lea_udevmon **ret_monitor)
{
	struct lea_udevmon *monitor = calloc(1, sizeof(*monitor));

	(void)tag;
	if (!monitor)
		return -ENOMEM;
	monitor->fd = sim_fd_new(SIM_FD_UDEV);
	if (monitor->fd < 0)
		return monitor->fd;
	sim_fds[monitor->fd].of = monitor;
	monitor->pid = sim.now->main->pid;
	for (uint32_t i = 0; i < MONITORS; i++)
		if (!monitors[i] || !is_alive(monitors[i])) {
			monitors[i] = monitor;
			break;
		}
	*ret_monitor = monitor;
	return 0;
}

static void stop_listening(struct lea_udevmon *monitor)
{
	for (uint32_t i = 0; i < MONITORS; i++)
		if (monitors[i] == monitor)
			monitors[i] = NULL;
	sim_fd_close(sim.now->main->slot, monitor->fd);
	free(monitor);
}

static int monitor_fd(const struct lea_udevmon *monitor)
{
	return monitor->fd;
}

bool sim_udev_monitor_is_ready(void *monitor)
{
	const struct lea_udevmon *own = monitor;

	return own->count || own->has_lost;
}

static char *properties_of(uint32_t index, uint64_t diskseq)
{
	char text[1400], seq[32];

	if (!db[index][0])
		return strdup("");
	number_text(diskseq, seq);
	snprintf(text, sizeof(text),
		 "DEVNAME=/dev/sd%c\nDEVTYPE=disk\nMAJOR=8\nMINOR=%u\nSUBSYSTEM=block\n%s%s%s%s",
		 'a' + (int)index, index * 16, seq[0] ? "DISKSEQ=" : "", seq, seq[0] ? "\n" : "",
		 db[index]);
	return strdup(text);
}

static char *properties(const struct lea_device *device)
{
	const int disk = device->major == 8 ? sim_disk_at(device->minor) : -1;

	sim_point("udev-db", NULL);
	return disk < 0 ? strdup("") : properties_of(sim_unit[disk].index, sim_unit[disk].diskseq);
}

static int fill(const struct told *told, struct lea_udevmon_event *ret_event)
{
	char name[16];

	*ret_event = (struct lea_udevmon_event){
		.device = {.major = 8,
			   .minor = told->index * 16,
			   .diskseq = has_disk_numbers() ? told->diskseq : 0,
			   .seqnum = told->seqnum,
			   .is_gone = told->is_gone},
		.is_pv = told->is_pv,
		.is_change = told->is_change,
		.was_in_use = told->was_in_use,
		.is_written = told->is_written};
	snprintf(ret_event->fs_uuid, sizeof(ret_event->fs_uuid), "%s", told->uuid);
	snprintf(name, sizeof(name), "/dev/sd%c", 'a' + (int)told->index);
	ret_event->device.name = strdup(name);
	ret_event->device.devlinks = strdup("");
	ret_event->device.properties = properties_of(told->index, told->diskseq);
	return ret_event->device.name && ret_event->device.properties ? 0 : -ENOMEM;
}

static int receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	struct told told;

	sim_point("udev-receive", NULL);
	if (monitor->has_lost) {
		monitor->has_lost = false;
		monitor->count = 0;
		return LEA_UDEVMON_OVERFLOW;
	}
	do {
		if (!monitor->count)
			return LEA_UDEVMON_NONE;
		told = monitor->told[monitor->first];
		monitor->first = (monitor->first + 1) % TOLD;
		monitor->count--;
	} while (told.has_failed);
	return fill(&told, ret_event);
}

static int drain(struct lea_udevmon *monitor)
{
	bool has_failed = monitor->has_lost;

	for (; monitor->count; monitor->count--) {
		has_failed = has_failed || monitor->told[monitor->first].has_failed;
		monitor->first = (monitor->first + 1) % TOLD;
	}
	monitor->has_lost = false;
	return has_failed ? LEA_UDEVMON_FAILED : 0;
}

static int enumerate(struct lea_udevmon *monitor,
		     int (*tell_one)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	int r = 0;

	(void)monitor;
	for (uint32_t disk = 0; !r && disk < SIM_DISKS; disk++) {
		const struct sim_unit *unit = &sim_unit[disk];
		struct lea_udevmon_event event;
		struct told told;

		if (!unit->is_there || !unit->is_known || !unit->has_tag)
			continue;
		told = (struct told){.index = unit->index,
				     .diskseq = unit->diskseq,
				     .seqnum = sim_seqnum,
				     .is_pv = unit->link[0] != '\0',
				     .was_in_use = strcmp(unit->first, unit->link) != 0};
		snprintf(told.uuid, sizeof(told.uuid), "%s", unit->link);
		r = fill(&told, &event);
		r = r ? r : tell_one(arg, &event);
	}
	return r;
}

struct lea_udev sim_udev = {
	.properties = properties,
	.listen = listen_to,
	.close = stop_listening,
	.fd = monitor_fd,
	.receive = receive,
	.drain = drain,
	.enumerate = enumerate,
};

/* ---- events */

static void env(struct event *event, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void env(struct event *event, const char *format, ...)
{
	va_list args;

	if (event->env_count == ENV)
		return;
	va_start(args, format);
	vsnprintf(event->env_text[event->env_count], sizeof(event->env_text[0]), format, args);
	va_end(args);
	event->env[event->env_count] = event->env_text[event->env_count];
	event->env[++event->env_count] = NULL;
}

static int enqueue_child(void *arg)
{
	struct event *event = arg;
	char path[128];

	snprintf(path, sizeof(path), "%s/run/lvm", sim.root);
	return lea_enqueue_event(path, event->env) < 0;
}

static void finish(struct event *event, const char *uuid, bool has_failed)
{
	const struct sim_unit *unit = &sim_unit[event->disk];
	struct told told = {.index = event->index,
			    .diskseq = event->diskseq,
			    .seqnum = event->seqnum,
			    .is_gone = event->action == SIM_GONE,
			    .is_pv = uuid[0] != '\0',
			    .is_change = event->action == SIM_CHANGED && !event->is_new,
			    .is_written = event->action == SIM_CHANGED &&
					  unit->skipped != event->seqnum,
			    .has_failed = has_failed};

	told.was_in_use = !told.is_gone && strcmp(unit->first, uuid) != 0;
	snprintf(told.uuid, sizeof(told.uuid), "%s", uuid);
	if (uuid[0] || has_failed)
		tell(&told);
	note_open(-1);
	free(event);
}

static void enqueued(struct sim_proc *proc)
{
	struct event *event = proc->arg;

	finish(event, event->uuid, false);
}

/* LABEL="lvmevent_gate" */
static void run_gate(struct event *event)
{
	if (!exists("/run/systemd/system") ||
	    (exists("/run/lvm/event/gate-armed") && !exists("/run/lvm/boot-finished"))) {
		finish(event, event->uuid, false);
		return;
	}
	if (!sim_start("enqueue", enqueue_child, event, enqueued))
		finish(event, event->uuid, false);
}

static void fill_env(struct event *event, const struct sim_unit *unit, bool is_new)
{
	char seq[32];

	number_text(event->diskseq, seq);
	env(event, "ACTION=%s",
	    event->action == SIM_GONE	   ? "remove"
	    : event->action == SIM_CHANGED ? "change"
					   : "add");
	env(event, "SUBSYSTEM=block");
	env(event, "DEVTYPE=disk");
	env(event, "MAJOR=8");
	env(event, "MINOR=%u", event->index * 16);
	env(event, "DEVNAME=/dev/sd%c", 'a' + (int)event->index);
	env(event, "SEQNUM=%" PRIu64, event->seqnum);
	if (seq[0])
		env(event, "DISKSEQ=%s", seq);
	if (event->uuid[0]) {
		env(event, "ID_FS_TYPE=LVM2_member");
		env(event, "ID_FS_UUID=%s", event->uuid);
		env(event, "ID_FS_UUID_ENC=%s", event->uuid);
	}
	env(event, "LVMEVENT_FIRST=%s", event->first);
	if (is_new)
		env(event, "LVMEVENT_NEW=1");
	if (event->action == SIM_SYNTH)
		env(event, "SYNTH_UUID=0");
	env(event, "ID_SERIAL=%s", unit->serial);
	if (event->action != SIM_GONE) {
		env(event, "USEC_INITIALIZED=%" PRIu64, unit->initialized_us);
		if (event->uuid[0])
			env(event, "DEVLINKS=/dev/disk/by-id/lvm-pv-uuid-%s", event->uuid);
	}
}

static void process_gone(struct event *event)
{
	const int now = sim_disk_at(event->index * 16);

	/* Another disk may have the name by now, and its add comes later. */
	if (event->was_known && (now < 0 || !sim_unit[now].is_known))
		drop_db(event->index);
	if (event->was_known)
		drop_link(event->uuid, event->index);
	fill_env(event, &sim_unit[event->disk], false);
	if (!event->was_known || !event->uuid[0]) {
		finish(event, "", false);
		return;
	}
	run_gate(event);
}

static void process(void *arg);

static bool is_slow(struct event *event, const struct sim_unit *unit)
{
	if (unit->hangs || unit->is_suspended) {
		if (sim.now_ms - event->begun_ms >= GIVE_UP_MS) {
			finish(event, "", true);
			return true;
		}
		sim_at(sim.now_ms + LOOK_MS, process, event);
		return true;
	}
	if (unit->slow_ms && !event->has_slept) {
		event->has_slept = true;
		sim_at(sim.now_ms + unit->slow_ms, process, event);
		return true;
	}
	return false;
}

/* Need no program be started for the change? */
static bool is_left_alone(const struct event *event, struct sim_unit *unit)
{
	char seq[32];

	number_text(event->diskseq, seq);
	if (exists("/run/lvm/event/queue/8:%u-%s", event->index * 16, seq))
		return true;
	if (!exists("/run/lvm/event/known/8:%u-%s-%s", event->index * 16, seq, event->uuid))
		return false;
	unit->skipped = event->seqnum;
	return true;
}

static void process(void *arg)
{
	struct event *event = arg;
	struct sim_unit *unit = &sim_unit[event->disk];
	bool is_new = false, is_over;
	char path[64], before[40];

	if (event->action == SIM_GONE) {
		process_gone(event);
		return;
	}
	if (!unit->is_there || unit->instance != event->instance) {
		finish(event, "", false);
		return;
	}
	if (is_slow(event, unit))
		return;
	event->uuid[0] = '\0';
	if (unit->on.is_pv && !unit->fails)
		lea_id_format(unit->on.pvid, event->uuid);
	if (event->action != SIM_CHANGED)
		unit->first[0] = '\0';
	if (!unit->first[0]) {
		is_new = event->is_new = true;
		snprintf(unit->first, sizeof(unit->first), "%s",
			 event->uuid[0] ? event->uuid : "none");
	}
	memcpy(event->first, unit->first, sizeof(event->first));
	if (!unit->initialized_us)
		unit->initialized_us = sim.now_ms * 1000 + 1;
	uuid_of_entry(unit->index, before);
	if (strcmp(before, event->uuid) != 0)
		drop_link(before, unit->index);
	if (event->uuid[0])
		put_link(event->uuid, unit->index);
	memcpy(unit->link, event->uuid, sizeof(unit->link));
	unit->is_known = true;
	unit->has_tag = event->uuid[0] != '\0';
	is_over = !event->uuid[0] || (!is_new && is_left_alone(event, unit));
	put_db(unit, event, event->uuid);
	snprintf(path, sizeof(path), "/run/udev/tags/lvmevent/b8:%u", event->index * 16);
	if (unit->has_tag)
		sim_put(path, "%s", "");
	else
		sim_unlink(path);
	fill_env(event, unit, is_new);
	if (is_over) {
		finish(event, event->uuid, false);
		return;
	}
	run_gate(event);
}

void sim_udev_event(uint32_t disk, enum sim_action action)
{
	struct sim_unit *unit = &sim_unit[disk];
	struct sim_proc *proc = sim_outside();
	struct event *event;
	uint64_t at_ms;

	sim_seqnum++;
	sim_put("/sys/kernel/uevent_seqnum", "%" PRIu64 "\n", sim_seqnum);
	if (unit->loses) {
		unit->loses = false;
		sim_inside(proc);
		return;
	}
	event = calloc(1, sizeof(*event));
	if (!event || !sim_udev_runs) {
		free(event);
		sim_inside(proc);
		return;
	}
	event->action = action;
	event->disk = disk;
	event->index = unit->index;
	event->instance = unit->instance;
	event->diskseq = unit->diskseq;
	event->seqnum = sim_seqnum;
	event->was_known = unit->is_known;
	memcpy(event->uuid, unit->link, sizeof(event->uuid));
	memcpy(event->first, unit->first, sizeof(event->first));
	at_ms = sim.now_ms + 1 + sim_draw(30) + unit->delay_ms;
	if (at_ms <= free_ms[event->index])
		at_ms = free_ms[event->index] + 1;
	free_ms[event->index] = at_ms;
	event->begun_ms = at_ms;
	note_open(1);
	sim_at(at_ms, process, event);
	sim_inside(proc);
}

void sim_udev_all(void)
{
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		if (sim_unit[disk].is_there)
			sim_udev_event(disk, SIM_SYNTH);
}

/* udevd has ended, with all that was in its queue. */
void sim_udev_stop(void)
{
	memset(free_ms, 0, sizeof(free_ms));
	memset(monitors, 0, sizeof(monitors));
	if (open_events)
		sim_unlink("/run/udev/queue");
	open_events = 0;
	if (sim_udev_runs)
		sim_unlink("/run/udev/control");
	sim_udev_runs = false;
}

void sim_udev_reset(void)
{
	sim_udev_stop();
	memset(db, 0, sizeof(db));
	sim_seqnum = 0;
}
