/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/disk_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "cli/columns.h"
#include "doctor/check.h"

#define SECTOR_BYTES 512U
#define RATE_BYTES   (LEA_SIZE_BYTES + 4)

/* A disk as it is judged. */
struct row {
	const struct lea_doctor_disk *disk; /* first: its name is the order */
	const struct lea_doctor_judged *judged;
};

static int compare_names(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	return strverscmp(one->disk->name, other->disk->name);
}

static void put_rate(struct lea_columns *table, bool is_known, uint64_t sectors, uint64_t ms)
{
	char rate[RATE_BYTES] = "-";

	if (is_known && ms) {
		lea_size_format(sectors * SECTOR_BYTES * 1000 / ms, rate);
		lea_append(rate, sizeof(rate), sectors ? "/s" : "");
	}
	lea_columns_cell(table, "%s", rate);
}

static void put_time(struct lea_columns *table, bool is_known, uint64_t us)
{
	char time[LEA_SIZE_BYTES] = "-";

	if (is_known)
		lea_doctor_time(us, time);
	lea_columns_cell(table, "%s", time);
}

static void put_row(struct lea_columns *table, const struct row *row, uint64_t sample_ms)
{
	const struct lea_doctor_disk *disk = row->disk;
	const struct lea_doctor_judged *judged = row->judged;

	lea_columns_cell(table, "%s", disk->name);
	lea_columns_cell(table, "%s",
			 disk->is_rotational == LEA_DOCTOR_YES	? "rotational"
			 : disk->is_rotational == LEA_DOCTOR_NO ? "solid state"
								: "?");
	put_rate(table, disk->has_io, disk->after.read_sectors - disk->before.read_sectors,
		 sample_ms);
	put_rate(table, disk->has_io, disk->after.write_sectors - disk->before.write_sectors,
		 sample_ms);
	put_time(table, judged->read_us != LEA_DOCTOR_UNKNOWN, judged->read_us);
	put_time(table, judged->write_us != LEA_DOCTOR_UNKNOWN, judged->write_us);
	put_time(table, judged->median_us != 0, judged->median_us);
	put_time(table, true, judged->slow_above_us);
}

int lea_doctor_print_disks(const struct lea_doctor_facts *facts,
			   bool (*is_wanted)(void *arg, const struct lea_doctor_disk *disk),
			   void *arg, bool is_below, FILE *out)
{
	static const char *const titles[] = {"DISK",   "KIND",	  "READS",  "WRITES",
					     "A READ", "A WRITE", "MEDIAN", "SLOW ABOVE"};
	const struct lea_doctor_disks *disks = &facts->disks;
	LEA_AUTO(lea_freep) struct row *rows = calloc((size_t)disks->count + 1, sizeof(*rows));
	LEA_AUTO(lea_freep)
	struct lea_doctor_judged *judged = calloc((size_t)disks->count + 1, sizeof(*judged));
	struct lea_columns table;
	size_t count = 0;

	if (!rows || !judged)
		return -ENOMEM;
	lea_doctor_judge_disks(disks, judged);
	for (uint32_t i = 0; i < disks->count; i++)
		if (is_wanted(arg, &disks->disk[i]))
			rows[count++] = (struct row){&disks->disk[i], &judged[i]};
	qsort(rows, count, sizeof(*rows), compare_names);
	for (lea_columns_begin(&table, out, "llrrrrrr"); lea_columns_pass(&table);) {
		lea_columns_head(&table, titles, is_below);
		for (size_t i = 0; i < count; i++)
			put_row(&table, &rows[i], disks->sample_ms);
	}
	return 0;
}
