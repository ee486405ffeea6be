/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RAID, integrity, mirrors and moves: what is refused, and the resulting tables. */
#include "fake/golden.h"
#include "unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PV_COUNT 4
#define ID(c)	 "\"" c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c "\""

static struct lea_arena *arena;

static void setup(void)
{
	arena = lea_arena_new(1U << 20);
}

static void teardown(void)
{
	lea_arena_free(arena);
}

const struct fixture fixture = {setup, teardown};

/* An image of 4 extents and its metadata on each PV. @image1_status, @image1_type: of the second
 * image. */
static void put_parts(FILE *out, const char *image1_status, const char *image1_type)
{
	for (int i = 0; i < PV_COUNT; i++) {
		fprintf(out,
			"r_rimage_%d { id=\"%032d\" status=[\"READ\"%s] segment_count=1 s "
			"{ start_extent=0 extent_count=4 type=\"striped%s\" stripe_count=1 "
			"stripes=[\"pv%d\",0] } } ",
			i, i + 1, i == 1 && image1_status ? image1_status : ",\"WRITE\"",
			i == 1 && image1_type ? image1_type : "", i);
		fprintf(out,
			"r_rmeta_%d { id=\"%032d\" status=[\"READ\",\"WRITE\"] segment_count=1 s "
			"{ start_extent=0 extent_count=1 type=\"striped\" stripe_count=1 "
			"stripes=[\"pv%d\",4] } } ",
			i, i + 11, i);
	}
}

/* A VG with the LV r, which has only this segment, and the parts that it may use. */
static char *vg_text(const char *seg, const char *status, const char *type)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	fputs("v { id=" ID("v") " seqno=1 format=\"lvm2\" status=[\"READ\",\"WRITE\"] "
				"extent_size=8 max_lv=0 max_pv=0 physical_volumes { ",
	      out);
	for (int i = 0; i < PV_COUNT; i++)
		fprintf(out, "pv%d { id=\"%032d\" status=[] pe_start=8 pe_count=20 } ", i, i + 50);
	fputs("} logical_volumes { r { id=" ID("r"), out);
	fprintf(out,
		" status=[\"READ\",\"WRITE\",\"VISIBLE\"] segment_count=1 s { start_extent=0 %s } "
		"} ",
		seg);
	put_parts(out, status, type);
	fputs("} } contents=\"Text Format Volume Group\" version=1", out);
	fclose(out);
	return text;
}

#define PAIR(n) "\"r_rmeta_" n "\",\"r_rimage_" n "\""
#define TWO	" raids=[" PAIR("0") "," PAIR("1") "] "
#define THREE	" raids=[" PAIR("0") "," PAIR("1") "," PAIR("2") "] "
#define FOUR	" raids=[" PAIR("0") "," PAIR("1") "," PAIR("2") "," PAIR("3") "] "
#define REGION	" region_size=1024 "
#define STRIPE	" stripe_size=128 "
#define RAID1	"extent_count=4 type=\"raid1\" device_count=2" REGION TWO
#define RAID5	"extent_count=8 type=\"raid5\" device_count=3" REGION STRIPE THREE
#define RAID6	"extent_count=8 type=\"raid6_nc\" device_count=4" REGION STRIPE FOUR
#define RAID10	"extent_count=8 type=\"raid10\" device_count=4" REGION STRIPE FOUR
#define RAID0                                                                                      \
	"extent_count=8 type=\"raid0\" stripe_count=2" STRIPE                                      \
	" raid0_lvs=[\"r_rimage_0\",\"r_rimage_1\"] "
#define INTEGRITY_OF(sectors, hash, mode, more)                                                    \
	"extent_count=4 type=\"integrity\" origin=\"r_rimage_0\" data_sectors=" sectors            \
	" tag_size=4 block_size=512 internal_hash=\"" hash "\" mode=\"" mode "\" " more
#define META_DEV " meta_dev=\"r_rmeta_0\" "
#define MIRROR	 "extent_count=4 type=\"mirror\" mirror_count=2 "
#define LEGS	 " mirrors=[\"r_rimage_0\",0,\"r_rimage_1\",0] "

/* Rows: the result for a text. */
static const struct {
	const char *claim, *seg;
	const char *status, *type; /* of the second image, unless NULL */
	const char *complaint;	   /* NULL: accepted */
	const char *reason;	   /* why the VG is handed over */
} text_rows[] = {
	{"raid1", RAID1, NULL, NULL, NULL, NULL},
	{"raid5", RAID5, NULL, NULL, NULL, NULL},
	{"a level nobody knows", "extent_count=4 type=\"raid7\"", NULL, NULL, NULL,
	 "unknown segment type"},
	{"no images", "extent_count=4 type=\"raid1\" device_count=0" REGION " raids=[]", NULL, NULL,
	 "missing or impossible device_count", NULL},
	{"no more images than parity",
	 "extent_count=4 type=\"raid6\" device_count=2" REGION STRIPE TWO, NULL, NULL,
	 "missing or impossible device_count", NULL},
	{"2^32-1 images", "extent_count=4 type=\"raid1\" device_count=4294967295" REGION TWO, NULL,
	 NULL, "missing or impossible device_count", NULL},
	{"both counts", "extent_count=4 type=\"raid1\" device_count=2 stripe_count=2" REGION TWO,
	 NULL, NULL, "both stripe_count and device_count", NULL},
	{"fewer names than images", "extent_count=4 type=\"raid1\" device_count=3" REGION TWO, NULL,
	 NULL, "RAID with fewer images than it says", NULL},
	{"more names than images", "extent_count=4 type=\"raid1\" device_count=2" REGION THREE,
	 NULL, NULL, "RAID with more images than it says", NULL},
	{"no names", "extent_count=4 type=\"raid1\" device_count=2" REGION, NULL, NULL,
	 "RAID with fewer images than it says", NULL},
	{"numbers for names",
	 "extent_count=4 type=\"raid1\" device_count=2" REGION " raids=[\"r_rmeta_0\",7]", NULL,
	 NULL, "RAID on an unknown LV", NULL},
	{"a PV for an image",
	 "extent_count=4 type=\"raid1\" device_count=2" REGION " raids=[\"pv0\",\"pv1\"]", NULL,
	 NULL, "RAID on an unknown LV", NULL},
	{"metadata twice",
	 "extent_count=4 type=\"raid1\" device_count=1" REGION
	 " raids=[\"r_rmeta_0\",\"r_rmeta_1\",\"r_rimage_0\"]",
	 NULL, NULL, "RAID image with metadata twice", NULL},
	{"metadata behind the last image",
	 "extent_count=4 type=\"raid1\" device_count=1" REGION
	 " raids=[\"r_rimage_0\",\"r_rmeta_1\"]",
	 NULL, NULL, "RAID with more images than it says", NULL},
	{"one image twice",
	 "extent_count=4 type=\"raid1\" device_count=2" REGION
	 " raids=[" PAIR("0") ",\"r_rmeta_1\",\"r_rimage_0\"]",
	 NULL, NULL, NULL, "an LV with two uses"},
	{"itself for an image",
	 "extent_count=4 type=\"raid1\" device_count=1" REGION " raids=[\"r\"]", NULL, NULL,
	 "LVs that refer to each other in a circle", NULL},
	{"images that are too small", "extent_count=5 type=\"raid1\" device_count=2" REGION TWO,
	 NULL, NULL, "RAID image that is too small", NULL},
	{"images that are too small for what isn't parity",
	 "extent_count=9 type=\"raid5\" device_count=3" REGION STRIPE THREE, NULL, NULL,
	 "RAID image that is too small", NULL},
	{"images that are too small for all copies",
	 "extent_count=9 type=\"raid10\" device_count=4" REGION STRIPE FOUR, NULL, NULL,
	 "RAID image that is too small", NULL},
	{"more copies than images", RAID10 " data_copies=5", NULL, NULL,
	 "missing or impossible data_copies", NULL},
	{"no regions", "extent_count=4 type=\"raid1\" device_count=2" TWO, NULL, NULL,
	 "missing or impossible region_size", NULL},
	{"no stripe size", "extent_count=8 type=\"raid5\" device_count=3" REGION THREE, NULL, NULL,
	 "missing or impossible stripe_size", NULL},
	{"raid0 with metadata",
	 "extent_count=8 type=\"raid0\" stripe_count=2" STRIPE
	 " raid0_lvs=[\"r_rmeta_0\",\"r_rimage_0\",\"r_rimage_1\"]",
	 NULL, NULL, "raid0 with metadata", NULL},
	{"nothing but room for a reshape", RAID5 " reshape_count=4", NULL, NULL,
	 "no room besides the reshape space", NULL},
	{"more room than there is", RAID5 " reshape_count=4294967295", NULL, NULL,
	 "no room besides the reshape space", NULL},
	{"an image that is seen", RAID1, ",\"WRITE\",\"VISIBLE\"", NULL, NULL,
	 "RAID with a visible image"},
	{"an image split off", RAID1, ",\"VISIBLE\"", NULL, NULL, NULL},
	{"a reshape", RAID5, NULL, "+RESHAPE_DELTA_DISKS_PLUS", NULL, NULL},
	{"a reshape both ways", RAID5, ",\"WRITE\"",
	 "+RESHAPE_DELTA_DISKS_PLUS+RESHAPE_DELTA_DISKS_MINUS", NULL,
	 "RAID that grows and shrinks at once"},
	{"a reshape that isn't known", RAID5, NULL, "+RESHAPE_SIDEWAYS", NULL,
	 "segment type with flags"},
	{"integrity", INTEGRITY_OF("32", "crc32c", "J", META_DEV), NULL, NULL, NULL, NULL},
	{"integrity beyond its LV", INTEGRITY_OF("33", "crc32c", "J", META_DEV), NULL, NULL,
	 "missing or impossible data_sectors", NULL},
	{"integrity of nothing", INTEGRITY_OF("0", "crc32c", "J", META_DEV), NULL, NULL,
	 "missing or impossible data_sectors", NULL},
	{"a hash that is two words", INTEGRITY_OF("32", "crc32c @0", "J", META_DEV), NULL, NULL,
	 "missing or impossible internal_hash", NULL},
	{"a hash with a key", INTEGRITY_OF("32", "sha1:00", "J", META_DEV), NULL, NULL,
	 "missing or impossible internal_hash", NULL},
	{"another mode", INTEGRITY_OF("32", "crc32c", "JX", META_DEV), NULL, NULL, NULL,
	 "integrity of an unknown mode"},
	{"a setting below nothing", INTEGRITY_OF("32", "crc32c", "J", META_DEV " commit_time=-1"),
	 NULL, NULL, "impossible integrity setting", NULL},
	{"checksums that are not there yet",
	 INTEGRITY_OF("32", "crc32c", "J", META_DEV " recalculate=1"), NULL, NULL, NULL,
	 "checksums that must be recalculated"},
	{"checksums over themselves", INTEGRITY_OF("32", "crc32c", "J", "meta_dev=\"r_rimage_0\""),
	 NULL, NULL, NULL, "an LV with two uses"},
	{"a mirror", MIRROR REGION LEGS, NULL, NULL, NULL, NULL},
	{"a mirror without regions", MIRROR LEGS, NULL, NULL, "mirror without regions", NULL},
	{"a mirror with a log that is unknown", MIRROR REGION LEGS "mirror_log=\"x\"", NULL, NULL,
	 "reference to an unknown LV", NULL},
	{"a mirror that is its own log", MIRROR REGION LEGS "mirror_log=\"r\"", NULL, NULL,
	 "LVs that refer to each other in a circle", NULL},
	{"more legs than listed", "extent_count=4 type=\"mirror\" mirror_count=3" REGION LEGS, NULL,
	 NULL, "mirror_count is not the number of mirrors", NULL},
	{"legs that are too short", "extent_count=5 type=\"mirror\" mirror_count=2 " REGION LEGS,
	 NULL, NULL, "segment beyond the end of its PV or LV", NULL},
	{"more moved than there is", MIRROR REGION LEGS "extents_moved=5", NULL, NULL,
	 "missing or impossible extents_moved", NULL},
};

TEST_EACH(each_raid_text_is_parsed_or_refused, text_rows)
{
	char *text = vg_text(text_rows[_i].seg, text_rows[_i].status, text_rows[_i].type);
	const char *complaint = text_rows[_i].complaint, *reason = text_rows[_i].reason;
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg = NULL;
	int r = lea_vg_parse(arena, text, strlen(text), &why, &vg);

	free(text);
	ck_assert_msg(r == (complaint ? LEA_VG_REFUSED : 0), "%s: %s", text_rows[_i].claim,
		      why.what);
	if (complaint) {
		ck_assert_str_eq(why.what, complaint);
		return;
	}
	ck_assert_msg(!vg->delegate_reason == !reason, "%s: %s", text_rows[_i].claim,
		      vg->delegate_reason);
	if (reason)
		ck_assert_str_eq(vg->delegate_reason, reason);
}

/* The plan with some PVs missing; @missing: one bit per PV. */
static struct lea_plan *plan_of(char *text, const struct lea_plan_rules *rules,
				unsigned int missing)
{
	static struct lea_plan_pv pvs[PV_COUNT];
	struct lea_plan *plan = NULL;
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg = NULL;
	int r = lea_vg_parse(arena, text, strlen(text), &why, &vg);

	free(text);
	ck_assert_msg(!r, "%s", why.what);
	for (uint32_t i = 0; i < PV_COUNT; i++)
		pvs[i] = (struct lea_plan_pv){
			.is_present = !(missing >> i & 1U), .major = 8, .minor = 16 * i};
	ck_assert_int_eq(lea_plan_vg(arena, vg, pvs, rules, &plan), 0);
	return plan;
}

/* Rows: the table of r. Its own node is the first; its parts follow in order. */
static const struct {
	const char *claim, *seg, *status, *type, *want;
} table_rows[] = {
	{"raid1", RAID1, NULL, NULL, "0 32 raid raid1 3 0 region_size 1024 2 @1 @2 @3 @4"},
	{"raid5 is left-symmetric", RAID5, NULL, NULL,
	 "0 64 raid raid5_ls 3 128 region_size 1024 3 @1 @2 @3 @4 @5 @6"},
	{"raid0 has no metadata", RAID0, NULL, NULL, "0 64 raid raid0 1 128 2 - @1 - @2"},
	{"raid10 has two copies unless it says", RAID10, NULL, NULL,
	 "0 64 raid raid10 5 128 region_size 1024 raid10_copies 2 4 @1 @2 @3 @4 @5 @6 @7 @8"},
	{"an image to be rebuilt", RAID1, ",\"WRITE\",\"REBUILD\"", NULL,
	 "0 32 raid raid1 5 0 rebuild 1 region_size 1024 2 @1 @2 @3 @4"},
	{"all of it in order", RAID1 " writebehind=7 max_recovery_rate=9 min_recovery_rate=8",
	 ",\"WRITE\",\"REBUILD\",\"WRITEMOSTLY\"", NULL,
	 "0 32 raid raid1 13 0 rebuild 1 min_recovery_rate 8 max_recovery_rate 9 write_mostly 1 "
	 "max_write_behind 7 region_size 1024 2 @1 @2 @3 @4"},
	{"write-mostly is for raid1", RAID5, ",\"WRITE\",\"WRITEMOSTLY\"", NULL,
	 "0 64 raid raid5_ls 3 128 region_size 1024 3 @1 @2 @3 @4 @5 @6"},
	{"an image that is added", RAID5 " data_offset=0", NULL, "+RESHAPE_DELTA_DISKS_PLUS",
	 "0 64 raid raid5_ls 7 128 region_size 1024 delta_disks 1 data_offset 0 "
	 "3 @1 @2 @3 @4 @5 @6"},
	{"an image that is taken away", RAID5 " data_offset=2048", NULL,
	 "+RESHAPE_DELTA_DISKS_MINUS",
	 "0 64 raid raid5_ls 7 128 region_size 1024 delta_disks -1 data_offset 2048 "
	 "3 @1 @2 @3 @4 @5 @6"},
	{"room for a reshape is not the LV's", RAID5 " reshape_count=1", NULL, NULL,
	 "0 48 raid raid5_ls 3 128 region_size 1024 3 @1 @2 @3 @4 @5 @6"},
	{"an image split off is none", RAID1, ",\"VISIBLE\"", NULL,
	 "0 32 raid raid1 3 0 region_size 1024 2 @1 @2 - -"},
	{"integrity with all settings",
	 INTEGRITY_OF("24", "crc32c", "B",
		      META_DEV "allow_discards=1 commit_time=100 sectors_per_bit=512 "
			       "journal_sectors=1 interleave_sectors=2 buffer_sectors=3 "
			       "journal_watermark=4 bitmap_flush_interval=5"),
	 NULL, NULL,
	 "0 24 integrity @2 0 4 B 12 fix_padding block_size:512 internal_hash:crc32c "
	 "meta_device:@1 journal_sectors:1 interleave_sectors:2 buffer_sectors:3 "
	 "journal_watermark:4 commit_time:100 bitmap_flush_interval:5 sectors_per_bit:512 "
	 "allow_discards"},
	{"integrity that keeps its checksums itself", INTEGRITY_OF("32", "crc32c", "J", ""), NULL,
	 NULL, "0 32 integrity @1 0 4 J 3 fix_padding block_size:512 internal_hash:crc32c"},
	{"a mirror in memory", MIRROR REGION LEGS, NULL, NULL,
	 "0 32 mirror core 1 1024 2 @1 0 @2 0 1 handle_errors"},
	{"a mirror with a log", MIRROR REGION LEGS "mirror_log=\"r_rmeta_2\"", NULL, NULL,
	 "0 32 mirror disk 2 @1 1024 2 @2 0 @3 0 1 handle_errors"},
	{"a mirror of one",
	 "extent_count=4 type=\"mirror\" mirror_count=1" REGION "mirrors=[\"r_rimage_0\",0]", NULL,
	 NULL, "0 32 linear @1 0"},
};

TEST_EACH(each_raid_level_has_lvm2s_table, table_rows)
{
	const struct lea_plan_rules rules = golden_rules();
	const struct lea_row *row;
	struct lea_plan *plan;
	char line[512];

	plan = plan_of(vg_text(table_rows[_i].seg, table_rows[_i].status, table_rows[_i].type),
		       &rules, 0);
	row = plan->node[0].table.row;
	ck_assert_str_eq(plan->node[0].node.name, "v-r");
	snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %s %s", row->start_sectors, row->length_sectors,
		 row->target, row->params);
	ck_assert_msg(!strcmp(line, table_rows[_i].want), "%s: %s", table_rows[_i].claim, line);
	ck_assert_int_eq(plan->node[0].node.secret_table, !strcmp(row->target, "integrity"));
}

#define PARTIAL	 "Use '--activationmode partial' to override."
#define DEGRADED "Try '--activationmode degraded'."
#define NEVER	 "Nothing can replace its missing part."

/* Rows: missing PVs, one bit each, and the refusal in each mode; NULL: accepted. */
static const struct {
	const char *claim, *seg;
	unsigned int missing;
	const char *complete, *degraded, *partial;
} missing_rows[] = {
	{"raid1, all there", RAID1, 0x0, NULL, NULL, NULL},
	{"raid1, one of two", RAID1, 0x1, DEGRADED, NULL, NULL},
	{"raid1, none", RAID1, 0x3, PARTIAL, PARTIAL, NULL},
	{"raid5, one missing", RAID5, 0x2, DEGRADED, NULL, NULL},
	{"raid5, two missing", RAID5, 0x6, PARTIAL, PARTIAL, NULL},
	{"raid6, two missing", RAID6, 0x6, DEGRADED, NULL, NULL},
	{"raid6, three missing", RAID6, 0xe, PARTIAL, PARTIAL, NULL},
	{"raid10, one of each pair", RAID10, 0x6, DEGRADED, NULL, NULL},
	{"raid10, both of a pair", RAID10, 0xc, PARTIAL, PARTIAL, NULL},
	{"raid0, one of two", RAID0, 0x1, DEGRADED, NULL, NULL},
	{"raid0, none", RAID0, 0x3, PARTIAL, PARTIAL, NULL},
	{"a mirror", MIRROR REGION LEGS, 0x1, PARTIAL, PARTIAL, NULL},
};

TEST_EACH(each_mode_decides_what_a_missing_pv_costs, missing_rows)
{
	const char *const want[] = {
		[LEA_MODE_COMPLETE] = missing_rows[_i].complete,
		[LEA_MODE_DEGRADED] = missing_rows[_i].degraded,
		[LEA_MODE_PARTIAL] = missing_rows[_i].partial,
	};
	struct lea_plan_rules rules = golden_rules();

	for (unsigned int mode = 0; mode < ARRAY_SIZE(want); mode++) {
		struct lea_plan *plan;

		rules.mode = (enum lea_plan_mode)mode;
		plan = plan_of(vg_text(missing_rows[_i].seg, NULL, NULL), &rules,
			       missing_rows[_i].missing);
		ck_assert_msg(!plan->lv[0].refusal == !want[mode], "%s, mode %u: %s",
			      missing_rows[_i].claim, mode, plan->lv[0].refusal);
		if (want[mode])
			ck_assert_msg(strstr(plan->lv[0].refusal, want[mode]) != NULL, "%s: %s",
				      missing_rows[_i].claim, plan->lv[0].refusal);
	}
}

/* A split-off image is not redundant: if the other one is missing, nothing is left. */
TEST(image_split_off_is_missing)
{
	const struct lea_plan_rules rules = golden_rules();
	struct lea_plan *plan = plan_of(vg_text(RAID1, ",\"VISIBLE\"", NULL), &rules, 0x1);

	ck_assert_ptr_nonnull(plan->lv[0].refusal);
	plan = plan_of(vg_text(RAID1, ",\"VISIBLE\"", NULL), &rules, 0x2);
	ck_assert_ptr_null(plan->lv[0].refusal);
}

/* Stand-ins don't help; but an active LV can be deactivated. */
TEST(raid_with_integrity_needs_all)
{
	struct lea_plan_rules rules = golden_rules();
	struct golden golden;
	struct lea_plan *plan;

	golden_open("raid_integrity", &golden);
	golden.pvs[0].is_present = false;
	for (unsigned int mode = LEA_MODE_COMPLETE; mode <= LEA_MODE_PARTIAL; mode++) {
		rules.mode = (enum lea_plan_mode)mode;
		ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan),
				 0);
		ck_assert_ptr_nonnull(plan->lv[0].refusal);
	}
	ck_assert_ptr_nonnull(strstr(plan->lv[0].refusal, NEVER));
	rules.select.everything = true;
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	ck_assert_ptr_null(plan->lv[0].refusal);
	golden_close(&golden);
}

/* Rows: uuids of parts in different lvm2 versions. */
static const struct {
	const char *claim, *shape, *node, *suffix;
	uint32_t release;
	bool has_other;
} uuid_rows[] = {
	{"an image", "raid1", "vg-m2_rimage_0", "", 205, true},
	{"an image, newer", "raid1", "vg-m2_rimage_0", "-real", 210, true},
	{"metadata, newer", "raid1", "vg-m2_rmeta_0", "-real", 210, true},
	{"the LV, newer", "raid1", "vg-m2", "", 210, false},
	{"a mirror's log, newer", "mirror", "vg-md_mlog", "-real", 210, true},
	{"checksums, newer", "raid_integrity", "vg-rj_rimage_0_imeta", "-real", 210, true},
	{"a move, newer", "pvmove", "vg-pvmove0", "-real", 210, true},
	{"what is moved, newer", "pvmove", "vg-a", "", 210, false},
	{"an image split off, newer", "raid_tracked_split", "vg-r_rimage_2", "", 210, false},
};

TEST_EACH(each_release_of_lvm2_has_its_uuids, uuid_rows)
{
	struct lea_plan_rules rules = golden_rules();
	const struct lea_plan_node *node;
	struct golden golden;
	struct lea_plan *plan;
	const char *suffix;

	golden_open(uuid_rows[_i].shape, &golden);
	rules.compat = lea_compat_of(uuid_rows[_i].release);
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	node = plan->node;
	while (strcmp(node->node.name, uuid_rows[_i].node) != 0) {
		node++;
		ck_assert_int_lt(node - plan->node, plan->node_count);
	}
	suffix = node->node.uuid + strlen("LVM-") + 2 * (size_t)LEA_ID_CHARS;
	ck_assert_msg(!strcmp(suffix, uuid_rows[_i].suffix), "%s: %s", uuid_rows[_i].claim, suffix);
	ck_assert_int_eq(node->other_uuid != NULL, uuid_rows[_i].has_other);
	golden_close(&golden);
}

/* Rows: regions of a move; the current segment has 16384 sectors. */
static const struct {
	const char *claim;
	uint32_t configured;
	const char *want;
} region_rows[] = {
	{"as configured", 4096, "core 1 4096 2 8:0 51200 8:16 51200"},
	{"no larger than the segment", 65536, "core 1 16384 2 8:0 51200 8:16 51200"},
	{"a power of two", 5000, "core 1 4096 2 8:0 51200 8:16 51200"},
};

TEST_EACH(a_move_has_lvm2s_region_size, region_rows)
{
	struct lea_plan_rules rules = golden_rules();
	struct golden golden;
	struct lea_plan *plan;

	golden_open("pvmove", &golden);
	rules.region_sectors = region_rows[_i].configured;
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	ck_assert_msg(!strcmp(plan->node[1].table.row[1].params, region_rows[_i].want), "%s: %s",
		      region_rows[_i].claim, plan->node[1].table.row[1].params);
	golden_close(&golden);
}

TEST(mirror_that_nobody_watches)
{
	struct lea_plan_rules rules = golden_rules();
	struct lea_plan *plan;

	rules.no_mirror_errors = true;
	plan = plan_of(vg_text(MIRROR REGION LEGS, NULL, NULL), &rules, 0);
	ck_assert_str_eq(plan->node[0].table.row->params, "core 1 1024 2 @1 0 @2 0");
}

/* An LV that the list excludes stays inactive, even on the same move. */
TEST(a_move_brings_nobody_who_may_not)
{
	static const char *const only_a[] = {"vg/a"};
	struct lea_plan_rules rules = golden_rules();
	struct golden golden;
	struct lea_plan *plan;

	golden_open("pvmove", &golden);
	rules.select.volume_list = (struct lea_volume_list){only_a, 1, true};
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	ck_assert_uint_eq(plan->node_count, 2);
	ck_assert_uint_eq(plan->step_count, 4);
	golden_close(&golden);
}
