/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of what is no VG: commands that wait for each other, and the boot. */
#include "inventory/inventory_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "throttle/command_line.h"
#include "throttle/overview.h"
#include "throttle/turn.h"
#include "timeline/boot_summary.h"

/* Seconds from thousandths, or from millionths, of them. */
#define MS(ms) (ms) / 1000, (ms) % 1000
#define US(us) (us) / 1000000, (us) % 1000000

/* What commands of a class do now, and did since the boot. */
struct load {
	const char *class_; /* static */
	uint64_t running, waiting, oldest_ms, given_up;
	uint32_t wait[LEA_THROTTLE_BUCKETS];
};

/* Who calls us may give classes any names, also one for each volume: all of these are one label. */
#define OTHER "other"
static const char *const classes[] = {LEA_THROTTLE_READ, LEA_THROTTLE_CHANGE, LEA_THROTTLE_DATA,
				      OTHER};

static struct load *load_of(struct load loads[static ARRAY_SIZE(classes)], const char *class_)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(classes) && strcmp(classes[i], class_) != 0)
		i++;
	return &loads[i];
}

static void add_class(struct load *load, const struct lea_throttle_all *all,
		      const struct lea_class_view *class_)
{
	const struct lea_throttle_view *view = &class_->view;
	const size_t waiting = view->waiting_count + class_->in_vgs_count;
	const uint64_t oldest_ms = waiting ? lea_throttle_age_ms(all, class_->oldest_ms) : 0;

	load->running += view->running_count;
	load->waiting += waiting;
	load->oldest_ms = oldest_ms > load->oldest_ms ? oldest_ms : load->oldest_ms;
	load->given_up += view->counter[LEA_THROTTLE_GIVEN_UP];
	for (size_t i = 0; i < LEA_THROTTLE_BUCKETS; i++)
		load->wait[i] += view->wait[i];
}

static int read_loads(struct lea_world *world, struct load loads[static ARRAY_SIZE(classes)])
{
	LEA_AUTO(lea_throttle_all_done) struct lea_throttle_all all = {.event_fd = -1};
	const int r = lea_throttle_all_read(world, &all);

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		loads[i] = (struct load){.class_ = classes[i]};
	for (size_t i = 0; !r && i < all.count; i++)
		add_class(load_of(loads, all.class_[i].name), &all, &all.class_[i]);
	return r;
}

static void put_class(FILE *out, const char *name, const char *class_)
{
	fprintf(out, "%s{class=\"%s\"", name, class_);
}

static void put_counts(FILE *out, const struct load *loads, size_t count)
{
	const struct {
		const char *name, *help;
		size_t offset;
	} families[] = {
		{"lvmevent_throttle_running", "Throttled commands that run.",
		 offsetof(struct load, running)},
		{"lvmevent_throttle_waiting", "Throttled commands that wait.",
		 offsetof(struct load, waiting)},
		{"lvmevent_throttle_given_up",
		 "Throttled commands since the boot that were never begun.",
		 offsetof(struct load, given_up)},
	};

	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		lea_metrics_head(out, families[f].name, "", families[f].help);
		for (size_t i = 0; i < count; i++) {
			uint64_t value;

			memcpy(&value, (const char *)&loads[i] + families[f].offset, sizeof(value));
			put_class(out, families[f].name, loads[i].class_);
			fprintf(out, "} %" PRIu64 "\n", value);
		}
	}
}

static void put_oldest(FILE *out, const struct load *loads, size_t count)
{
	static const char name[] = "lvmevent_throttle_oldest_wait_seconds";

	lea_metrics_head(out, name, "seconds",
			 "How long the command has waited that waits longest; 0: none does.");
	for (size_t i = 0; i < count; i++) {
		put_class(out, name, loads[i].class_);
		fprintf(out, "} %" PRIu64 ".%03" PRIu64 "\n", MS(loads[i].oldest_ms));
	}
}

/* A class in which no command has got a slot has no sample. */
static void put_waits(FILE *out, const struct load *loads, size_t count)
{
	static const char name[] = "lvmevent_throttle_wait_seconds";
	static const struct {
		const char *quantile;
		uint32_t percent;
	} parts[] = {{"0.5", 50}, {"0.99", 99}};

	lea_metrics_head(out, name, "seconds",
			 "The wait that this part of the commands since the boot did not exceed.");
	for (size_t i = 0; i < count; i++) {
		uint64_t waits = 0;

		for (size_t b = 0; b < LEA_THROTTLE_BUCKETS; b++)
			waits += loads[i].wait[b];
		for (size_t p = 0; waits && p < ARRAY_SIZE(parts); p++) {
			const uint64_t ms =
				lea_throttle_percentile(loads[i].wait, parts[p].percent);

			put_class(out, name, loads[i].class_);
			fprintf(out, ",quantile=\"%s\"} %" PRIu64 ".%03" PRIu64 "\n",
				parts[p].quantile, MS(ms));
		}
	}
}

static void put_boot(FILE *out, const struct lea_boot_summary *boot)
{
	static const struct {
		const char *name, *help;
	} families[] = {
		{"lvmevent_boot_seconds",
		 "From the start of the kernel until the last VG of the boot was active."},
		{"lvmevent_boot_slowest_vg_seconds",
		 "The longest time that a VG of the boot took to become active."},
	};
	const uint64_t us[] = {boot ? boot->last_us : 0, boot ? boot->slowest_us : 0};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		lea_metrics_head(out, families[i].name, "seconds", families[i].help);
		if (boot)
			fprintf(out, "%s %" PRIu64 ".%06" PRIu64 "\n", families[i].name, US(us[i]));
	}
}

static void warn(struct lea_world *world, const char *what, int fault)
{
	lea_log(world->log, LEA_LOG_WARNING, "%s: no metrics: %s", what, strerror(-fault));
}

void lea_inventory_print_machine(FILE *out, struct lea_world *world)
{
	struct load loads[ARRAY_SIZE(classes)];
	const int r = read_loads(world, loads);
	const size_t count = r ? 0 : ARRAY_SIZE(loads);
	struct lea_boot_summary boot;
	const int s = lea_boot_summary_read(world, &boot);

	if (r < 0)
		warn(world, "throttled commands", r);
	if (s < 0)
		warn(world, "the boot", s);
	put_counts(out, loads, count);
	put_oldest(out, loads, count);
	put_waits(out, loads, count);
	put_boot(out, s ? NULL : &boot);
}
