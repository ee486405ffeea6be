/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks through process 1's own socket: while the machine boots, there is no bus yet. A connection
 * lasts for one question, since process 1 sends all its signals to one that stays.
 */
#include "world/manager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"
#include "world/world.h"

#define SYSTEMD	    "/run/systemd/system"
#define ADDRESS	    "unix:path=/run/systemd/private"
#define NAME	    "org.freedesktop.systemd1"
#define PATH	    "/org/freedesktop/systemd1"
#define SUFFIX	    ".device"
#define PATIENCE_US 2000000U
#define POLL_US	    20000U
#define US_PER_S    1000000U

LEA_DEFINE_FREEP(sd_bus, bus_closep, sd_bus_close_unref);
LEA_DEFINE_FREEP(sd_bus_message, message_unrefp, sd_bus_message_unref);

void lea_manager_waits_done(struct lea_manager_waits *waits)
{
	free(waits->wait);
	*waits = (struct lea_manager_waits){0};
}

/* A process 1 that hangs accepts no connection, and a call would wait for that much longer than for
 * its own answer. */
static int wait_until_ready(sd_bus *bus)
{
	int r = 0;

	for (unsigned int i = 0; r >= 0 && i < PATIENCE_US / POLL_US; i++) {
		do
			r = sd_bus_process(bus, NULL);
		while (r > 0);
		if (r >= 0 && sd_bus_is_ready(bus) > 0)
			return 0;
		r = r < 0 ? r : sd_bus_wait(bus, POLL_US);
	}
	return r < 0 ? r : -ETIMEDOUT;
}

static int connect_to(sd_bus **ret_bus)
{
	LEA_AUTO(bus_closep) sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	r = r < 0 ? r : sd_bus_set_address(bus, ADDRESS);
	r = r < 0 ? r : sd_bus_set_method_call_timeout(bus, PATIENCE_US);
	r = r < 0 ? r : sd_bus_start(bus);
	r = r < 0 ? r : wait_until_ready(bus);
	if (r < 0)
		return r;
	*ret_bus = LEA_TAKE(bus);
	return 0;
}

static int get_time(sd_bus *bus, const char *property, uint64_t *ret_us)
{
	const int r = sd_bus_get_property_trivial(bus, NAME, PATH, NAME ".Manager", property, NULL,
						  't', ret_us);

	return r < 0 ? r : 0;
}

static int get_times(sd_bus *bus, struct lea_manager_waits *waits)
{
	uint64_t limit_us, boot_us, finish_us;
	int r = get_time(bus, "DefaultDeviceTimeoutUSec", &limit_us);

	r = r ? r : get_time(bus, "UnitsLoadFinishTimestampMonotonic", &boot_us);
	r = r ? r : get_time(bus, "FinishTimestampMonotonic", &finish_us);
	if (r)
		return r;
	waits->limit_ms = limit_us == UINT64_MAX ? limit_us : limit_us / 1000;
	waits->boot_ms = boot_us / 1000;
	waits->is_starting_up = !finish_us;
	return 0;
}

static bool is_device(const char *unit)
{
	const size_t chars = strlen(unit);

	return chars < LEA_MANAGER_UNIT_BYTES && chars > strlen(SUFFIX) &&
	       !strcmp(unit + chars - strlen(SUFFIX), SUFFIX);
}

static int add_wait(struct lea_manager_waits *waits, const char *unit, uint32_t job_id)
{
	struct lea_manager_wait *more =
		reallocarray(waits->wait, waits->count + 1U, sizeof(*waits->wait));

	if (!more)
		return -ENOMEM;
	waits->wait = more;
	waits->wait[waits->count] = (struct lea_manager_wait){.job_id = job_id};
	snprintf(waits->wait[waits->count++].unit, LEA_MANAGER_UNIT_BYTES, "%s", unit);
	return 0;
}

static int list_waits(sd_bus *bus, struct lea_manager_waits *waits)
{
	LEA_AUTO(message_unrefp) sd_bus_message *reply = NULL;
	const char *unit, *type, *state, *job_path, *unit_path;
	uint32_t job_id;
	int r = sd_bus_call_method(bus, NAME, PATH, NAME ".Manager", "ListJobs", NULL, &reply,
				   NULL);

	r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(usssoo)");
	while (r >= 0 && (r = sd_bus_message_read(reply, "(usssoo)", &job_id, &unit, &type, &state,
						  &job_path, &unit_path)) > 0)
		if (!strcmp(type, "start") && is_device(unit))
			r = add_wait(waits, unit, job_id);
	return r < 0 ? r : 0;
}

static int look(struct lea_manager_waits *ret_waits)
{
	LEA_AUTO(bus_closep) sd_bus *bus = NULL;
	struct lea_manager_waits waits = {0};
	int r = connect_to(&bus);

	r = r ? r : get_times(bus, &waits);
	r = r ? r : list_waits(bus, &waits);
	if (r) {
		lea_manager_waits_done(&waits);
		return r;
	}
	*ret_waits = waits;
	return 0;
}

/* Is the limit of this unit ours? */
static int has_our_limit(sd_bus *bus, const char *unit, bool *ret_is)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	uint64_t limit_us;
	int r = sd_bus_path_encode(PATH "/unit", unit, &path);

	r = r < 0 ? r
		  : sd_bus_get_property_trivial(bus, NAME, path, NAME ".Unit",
						"JobRunningTimeoutUSec", NULL, 't', &limit_us);
	if (r < 0)
		return r;
	*ret_is = limit_us != UINT64_MAX && limit_us % US_PER_S == LEA_MANAGER_ODD_US;
	return 0;
}

static int end_wait(sd_bus *bus, struct lea_manager_wait *wait)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	bool is_ours;
	char path[64];
	int r = has_our_limit(bus, wait->unit, &is_ours);

	if (r || !is_ours)
		return r;
	snprintf(path, sizeof(path), PATH "/job/%u", wait->job_id);
	r = sd_bus_call_method(bus, NAME, path, NAME ".Job", "Cancel", &error, NULL, NULL);
	/* Process 1 drops the other jobs when the first one has led to the emergency shell. */
	if (sd_bus_error_has_name(&error, SD_BUS_ERROR_UNKNOWN_OBJECT))
		r = 0;
	sd_bus_error_free(&error);
	wait->is_over = r >= 0;
	return r < 0 ? r : 0;
}

static int end(struct lea_manager_waits *waits)
{
	LEA_AUTO(bus_closep) sd_bus *bus = NULL;
	int r = connect_to(&bus);

	for (uint32_t i = 0; !r && i < waits->count; i++)
		r = !waits->wait[i].is_due ? 0 : end_wait(bus, &waits->wait[i]);
	return r;
}

/* ---- to start units */

#define WORDS 4U /* before the units */

static int ask(void *arg)
{
	lea_proc_detach(-1);
	return lea_proc_exec(arg) ? 1 : 0;
}

static bool start(const struct lea_world *world, const char *const *units, size_t count)
{
	LEA_AUTO(lea_freep) char *systemd = lea_world_path(world, SYSTEMD);
	const char *argv[WORDS + LEA_MANAGER_UNITS_MOST + 1] = {"/usr/bin/systemctl", "--no-block",
								"start", "--"};

	for (size_t i = 0; i < count && i < LEA_MANAGER_UNITS_MOST; i++)
		argv[WORDS + i] = units[i];
	return systemd && !access(systemd, F_OK) && lea_proc_orphan(ask, argv) == 0;
}

const struct lea_manager lea_manager_real = {.look = look, .end = end, .start = start};
