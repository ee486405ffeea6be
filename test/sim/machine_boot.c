/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our services, started, ordered and started again as systemd does it by the units in udev/. */
#include "sim/machine_private.h"

#include "boot/boot_turn.h"
#include "boot/needed.h"
#include "daemon/reconcile.h"
#include "daemon/reconcile_wait.h"
#include "daemon/resident.h"
#include "daemon/session.h"
#include "daemon/udev_wait.h"
#include "state/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESTART_MS 2000U
#define SWEEP_MS   60000U

bool sim_is_booting, sim_is_stopping, sim_is_replaced;

static bool is_boot_ready;
static char *environment[] = {NULL};

struct own_log {
	struct lea_log log;
};

static void say(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct sim_proc *proc = sim.now;
	char text[4096], *root;

	(void)log;
	(void)level;
	if (!proc || !sim.watcher || !sim.watcher->said)
		return;
	/* The tree has another name each time. */
	snprintf(text, sizeof(text), "%s", line);
	while ((root = strstr(text, sim.root)))
		memmove(root, root + strlen(sim.root), strlen(root + strlen(sim.root)) + 1);
	sim_outside();
	sim.watcher->said(sim.watcher->arg, sim.now_ms, proc->main->role, text);
	sim_inside(proc);
}

/* In the process that runs; never freed, because its children may have it. */
struct lea_world *sim_world_new(const char *role)
{
	struct lea_world *world = sim_heap_take(sizeof(*world));
	struct own_log *log = sim_heap_take(sizeof(*log));
	const uint32_t shorts = sim_shorts;

	(void)role;
	sim_shorts = 0; /* the machine's part is never short */
	log->log = (struct lea_log){.write = say, .max_level = LEA_LOG_DEBUG};
	lea_world_init(world, sim.root, &log->log, environment);
	world->clock = &sim_clock;
	world->udev = &sim_udev;
	world->open_device = sim_disk_open;
	world->dm = sim_dm_new();
	sim_shorts = shorts;
	sim.now->main->world = world;
	sim.now->main->log = &log->log;
	return world;
}

/* What children have a copy of must not become something else. */
static void end_session(struct lea_session *session)
{
	sim.now->main->keeps = true;
	lea_session_end(session);
	sim.now->main->keeps = false;
}

static int run_child(void *arg)
{
	struct lea_resident_first first = {0};

	(void)arg;
	sim.use.runners++;
	for (;;) {
		struct lea_world *world = sim_world_new("run");
		struct lea_session session;
		int code, r = 0;

		if (!world)
			return 1;
		code = lea_session_begin(world, &session);
		if (!code)
			r = lea_resident_run(&session, true, &first);
		end_session(&session);
		if (code || r != LEA_RESIDENT_RESTART)
			return code ? code : r;
		sim_fd_close_all(sim.now->main->slot);
	}
}

static void start_runner(void *arg)
{
	(void)arg;
	if (!sim_is_stopping && !sim_find_role("run"))
		sim_runner_start();
}

static void run_ended(struct sim_proc *proc)
{
	(void)proc;
	if (!sim_is_stopping)
		sim_at(sim.now_ms + RESTART_MS, start_runner, NULL);
}

void sim_runner_start(void)
{
	sim_start("run", run_child, NULL, run_ended);
}

static void boot_ready(void *arg);

static int boot_child(void *arg)
{
	struct lea_boot_turns turns = {.ready = boot_ready};
	enum lea_boot_turn turn;

	(void)arg;
	for (;;) {
		struct lea_world *world = sim_world_new("boot");
		struct lea_session session;

		if (!world)
			return 1;
		turn = lea_boot_turn(&session, lea_session_begin(world, &session), &turns);
		end_session(&session);
		if (turn != LEA_BOOT_TURN_AGAIN)
			break;
		sim_fd_close_all(sim.now->main->slot);
	}
	lea_device_queue_done(&turns.done);
	return turn != LEA_BOOT_TURN_DONE;
}

int sim_sweep_child(void *arg)
{
	const bool is_boot = arg != NULL;
	struct lea_world *world = sim_world_new("sweep");
	struct lea_session session;
	struct lea_reconcile_result result = {0};
	struct lea_reconcile_options options = {.world = world, .is_boot = is_boot};
	int r, code = world ? lea_session_begin(world, &session) : 1;

	if (code)
		return code;
	options.conf = session.conf;
	options.event_fd = session.event_fd;
	options.is_boot = is_boot || lea_gate_is_closed(lea_world_run(world));
	r = is_boot ? lea_wait_udev(&options, session.conf->boot_deadline_ms, LEA_UDEV_QUIET_MS)
		    : 0;
	r = r < 0 ? r : lea_reconcile_and_wait(&options, is_boot ? SWEEP_MS : 0, &result);
	end_session(&session);
	return r < 0;
}

static void gate_opened(void)
{
	sim_is_booting = false;
	sim_at(sim.now_ms, start_runner, NULL);
}

static int gate_child(void *arg)
{
	struct lea_world *world = sim_world_new("gate");
	struct lea_session session;
	struct lea_reconcile_options options = {
		.world = world, .is_boot = true, .opened = gate_opened};
	int r, code = world ? lea_session_begin(world, &session) : 1;

	(void)arg;
	options.conf = session.conf;
	options.event_fd = session.event_fd;
	if (!code && lea_gate_wait(&options) < 0)
		code = 0;
	r = world ? lea_gate_open(lea_world_run(world)) : -ENOMEM;
	if (code || r)
		return 1;
	r = lea_gate_open_and_reconcile(&options);
	end_session(&session);
	return r < 0;
}

static void start_gate(void *arg);

static void gate_ended(struct sim_proc *proc)
{
	if (proc->code && !sim_is_stopping)
		sim_at(sim.now_ms + 1000, start_gate, NULL);
	else
		start_runner(NULL);
}

static void start_gate(void *arg)
{
	(void)arg;
	if (!sim_is_stopping)
		sim_start("gate", gate_child, NULL, gate_ended);
}

static void boot_sweep_ended(struct sim_proc *proc)
{
	(void)proc;
	start_gate(NULL);
}

static void start_boot_sweep(void *arg)
{
	(void)arg;
	if (!sim_is_stopping)
		sim_start("sweep", sim_sweep_child, &sim_is_booting, boot_sweep_ended);
}

/* The boot goes on. */
static void boot_ready(void *arg)
{
	(void)arg;
	if (is_boot_ready)
		return;
	is_boot_ready = true;
	sim_at(sim.now_ms, start_boot_sweep, NULL);
}

static void start_boot(void *arg);

static void boot_ended(struct sim_proc *proc)
{
	if (sim_is_stopping || !proc->code)
		return;
	/* As systemd does, it is started again, and the boot waits for it. */
	sim_at(sim.now_ms + 1000, start_boot, NULL);
}

static void start_boot(void *arg)
{
	(void)arg;
	if (!sim_is_stopping && (sim_is_booting || !is_boot_ready))
		sim_start("boot", boot_child, NULL, boot_ended);
}

static int arm_child(void *arg)
{
	struct lea_world *world = sim_world_new("arm");
	struct lea_session session;
	int code = world ? lea_session_begin(world, &session) : 1;

	(void)arg;
	if (code)
		return code;
	code = lea_gate_begin(lea_world_run(world), lea_world_proc(world),
			      sim.history->boot ? LEA_GATE_CLOSED : LEA_GATE_NONE);
	end_session(&session);
	return code != 0;
}

/* udevd runs, and the kernel repeats the events of what is there. */
static void begin_coldplug(void *arg)
{
	(void)arg;
	if (sim_udev_runs || sim_is_stopping)
		return;
	sim_udev_runs = true;
	sim_put("/run/udev/control", "%s", "");
	sim_udev_all();
	if (sim.history->boot)
		sim_at(sim.now_ms + sim_draw(200), start_boot, NULL);
	else
		start_runner(NULL);
}

static void needed_ready(void *arg)
{
	sim_at(sim.now_ms, begin_coldplug, arg);
}

static int needed_child(void *arg)
{
	struct lea_world *world = sim_world_new("needed");
	struct lea_session session = {.event_fd = -1};
	int code = world ? lea_session_begin(world, &session) : 1;

	(void)arg;
	if (!code)
		code = lea_needed_run(&session, needed_ready, NULL) < 0;
	end_session(&session);
	return code;
}

static void needed_ended(struct sim_proc *proc)
{
	(void)proc;
	begin_coldplug(NULL);
}

static void armed(struct sim_proc *proc)
{
	(void)proc;
	if (sim.history->boot)
		sim_start("needed", needed_child, NULL, needed_ended);
	else
		begin_coldplug(NULL);
}

void sim_boot(void)
{
	sim_is_stopping = false;
	is_boot_ready = false;
	sim_is_booting = sim.history->boot != 0;
	sim_udev_runs = false;
	sim_start("arm", arm_child, NULL, armed);
}

/* An upgrade replaces it once. */
bool __wrap_lea_program_is_replaced(struct lea_world *world);
bool __wrap_lea_program_is_replaced(struct lea_world *world)
{
	const bool was = sim_is_replaced;

	(void)world;
	sim_is_replaced = false;
	return was;
}
