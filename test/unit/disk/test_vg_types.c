/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metadata of segments on other LVs: what is accepted, refused, handed over. */
#include "unit/vg_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three LVs of one extent each: l, m and n. */
#define TRIO(l, m, n)                                                                              \
	LVS(LV("l", "d", ONE SEG("0", "1", l)) LV("m", "e", ONE SEG("0", "1", m))                  \
		    LV("n", "f", ONE SEG("0", "1", n)))
#define SNAPSHOT(origin, store) "\"snapshot\" chunk_size=8 origin=\"" origin "\" " store
#define STORE			" cow_store=\"m\" "
#define POOL			"\"thin-pool\" metadata=\"l\" pool=\"m\" transaction_id=1 chunk_size=128"
#define VOLUME                                                                                     \
	"\"cache+CACHE_USES_CACHEVOL\" cache_pool=\"l\" origin=\"m\" metadata_start=0 "            \
	"metadata_len=2 data_start=2 data_len=2"
/* @block, @threads: two of its settings */
#define VDO_POOL(data, block, threads)                                                             \
	"\"vdo-pool\" data=\"" data "\" header_size=1024 virtual_extents=2 minimum_io_size=" block \
	" "                                                                                        \
	"block_map_cache_size_mb=128 block_map_era_length=16380 index_memory_size_mb=256 "         \
	"max_discard=1 slab_size_mb=128 ack_threads=1 bio_threads=" threads " bio_rotation=64 "    \
	"cpu_threads=2 hash_zone_threads=1 logical_threads=1 physical_threads=1"
#define VDO(pool, offset) "\"vdo\" vdo_pool=\"" pool "\" vdo_offset=" offset
#define WRITECACHE	  "\"writecache\" writecache=\"l\" origin=\"m\" writecache_block_size=4096"

static const struct text_row rows[] = {
	{"a snapshot of itself's store",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("s", "0")))
		     LV("s", "e", ONE SEG("0", "1", SNAPSHOT("s", "cow_store=\"l\"")))),
	 "LVs that refer to each other in a circle", NULL},
	{"a snapshot whose store is its origin",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("s", "e", ONE SEG("0", "1", SNAPSHOT("l", "cow_store=\"l\"")))),
	 "LVs that refer to each other in a circle", NULL},
	{"a snapshot whose store lies on its origin",
	 TRIO(LINEAR("pv0", "0"), LINEAR("l", "0"), SNAPSHOT("l", STORE)),
	 "LVs that refer to each other in a circle", NULL},
	{"two LVs that are stores of each other's snapshots",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "1"))) LV(
			     "s", "f", ONE SEG("0", "1", SNAPSHOT("l", STORE)))
			     LV("t", "g", ONE SEG("0", "1", SNAPSHOT("m", "cow_store=\"l\"")))),
	 "LVs that refer to each other in a circle", NULL},
	{"a snapshot", TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), SNAPSHOT("l", STORE)), NULL,
	 NULL},
	{"a snapshot of nothing",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), SNAPSHOT("x", STORE)),
	 "reference to an unknown LV", NULL},
	{"a snapshot without a store",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), SNAPSHOT("l", "")),
	 "segment that lacks an LV", NULL},
	{"a snapshot with two stores",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), SNAPSHOT("l", STORE "merging_store=\"m\"")),
	 "snapshot with two stores", NULL},
	{"a snapshot of a snapshot",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0"))) LV(
		 "m", "e", ONE SEG("0", "1", LINEAR("pv0", "1")))
		     LV("k", "h", ONE SEG("0", "1", LINEAR("pv0", "2"))) LV(
			     "s", "f", ONE SEG("0", "1", SNAPSHOT("l", STORE)))
			     LV("t", "g", ONE SEG("0", "1", SNAPSHOT("m", "cow_store=\"k\"")))),
	 NULL, "a snapshot of a snapshot"},
	{"a store of two snapshots",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "1")))
			     LV("s", "f", ONE SEG("0", "1", SNAPSHOT("l", STORE)))
				     LV("t", "g", ONE SEG("0", "1", SNAPSHOT("l", STORE)))),
	 NULL, "an LV with two uses"},
	{"a thin pool", TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), POOL), NULL, NULL},
	{"a thin pool whose parts are one",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      "\"thin-pool\" metadata=\"l\" pool=\"l\" transaction_id=1 chunk_size=128"),
	 NULL, "an LV with two uses"},
	{"a thin pool of tiny chunks",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      "\"thin-pool\" metadata=\"l\" pool=\"m\" transaction_id=1 chunk_size=8"),
	 "missing or impossible chunk_size", NULL},
	{"a thin pool with unfinished changes",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), POOL " message1 { delete=5 }"), NULL,
	 "a thin pool with unfinished changes"},
	{"a thin pool of strange discards",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), POOL " discards=\"@1\""),
	 "unknown kind of discards", NULL},
	{"a thin LV in what is no pool",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      "\"thin\" thin_pool=\"l\" device_id=1 transaction_id=0"),
	 "thin LV in an LV that is not a thin pool", NULL},
	{"a thin LV in a pool that is not ours",
	 TRIO("\"new-pool\" data=\"m\"", LINEAR("pv0", "1"),
	      "\"thin\" thin_pool=\"l\" device_id=1 transaction_id=0"),
	 NULL, "unknown segment type"},
	{"a device id beyond 24 bits",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      "\"thin\" thin_pool=\"l\" device_id=16777216 transaction_id=0"),
	 "missing or impossible device_id", NULL},
	{"a thin pool of two segments",
	 LVS(LV("l", "d", ONE SEG("0", "1", LINEAR("pv0", "0")))
		     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "1"))) LV(
			     "p", "f", TWO SEG("0", "1", POOL) SEG("1", "1", LINEAR("pv0", "3")))),
	 "several segments where one must be", NULL},
	{"a cache on what is no pool",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), "\"cache\" cache_pool=\"l\" origin=\"m\""),
	 "cache on an LV that is not a cache pool", NULL},
	{"a cache on a volume", TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VOLUME), NULL, NULL},
	{"a cache policy that is a table",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VOLUME " policy=\"smq 0 @1\""),
	 "impossible cache policy", NULL},
	{"a policy setting that is a table",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VOLUME " policy_settings { A=1 }"),
	 "impossible policy setting", NULL},
	{"a policy setting below nothing",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VOLUME " policy_settings { a=-1 }"),
	 "impossible policy setting", NULL},
	{"an unknown cache mode",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VOLUME " cache_mode=\"fast\""),
	 "unknown cache mode", NULL},
	{"a cache volume without its data",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      "\"cache\" cache_pool=\"l\" origin=\"m\" metadata_start=0 metadata_len=8"),
	 "missing or impossible piece of a cache volume", NULL},
	{"a write cache", TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), WRITECACHE), NULL, NULL},
	{"a write cache's foreign setting",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      WRITECACHE " writecache_setting_key=\"new\" writecache_setting_val=\"7\""),
	 NULL, NULL},
	{"a VDO pool and an LV in it",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "4096", "4"), VDO("m", "1")), NULL, NULL},
	{"a VDO pool without write_policy's quotes",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "4096", "4") " write_policy = async-unsafe",
	      VDO("m", "0")),
	 NULL, NULL},
	{"a VDO pool of odd blocks",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "1024", "4"), VDO("m", "0")),
	 "impossible minimum_io_size", NULL},
	{"a VDO pool with fewer threads than none",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "512", "-1"), VDO("m", "0")),
	 "missing or impossible bio_threads", NULL},
	{"two VDO pools on one LV",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "512", "4"), VDO_POOL("l", "512", "4")), NULL,
	 "an LV with two uses"},
	{"a VDO LV in what is no pool", TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"), VDO("m", "0")),
	 "VDO LV in an LV that is not a VDO pool", NULL},
	{"a VDO LV beyond the end of its pool",
	 TRIO(LINEAR("pv0", "0"), VDO_POOL("l", "512", "4"), VDO("m", "2")),
	 "VDO LV beyond the end of its pool", NULL},
	{"a write cache's foreign setting of two words",
	 TRIO(LINEAR("pv0", "0"), LINEAR("pv0", "1"),
	      WRITECACHE " writecache_setting_key=\"a b\" writecache_setting_val=\"7\""),
	 "impossible writecache setting", NULL},
};

TEST_EACH(each_lv_type_is_parsed_or_refused, rows)
{
	check_text(&rows[_i]);
}

/* A chain in which each LV lies on the next: too deep for any use, and for the stack. */
TEST_TIMES(deep_nesting_is_refused, 2)
{
	const unsigned int depth = _i ? 31 : 1000;
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg = NULL;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	fputs(VG_HEAD PVS "logical_volumes { ", out);
	for (unsigned int i = 0; i < depth; i++) {
		fprintf(out, "l%u { id=\"%032u\" status=[] segment_count=1 s { start_extent=0 ", i,
			i);
		fprintf(out, "extent_count=1 type=\"striped\" stripe_count=1 stripes=[\"");
		fprintf(out, i + 1 < depth ? "l%u\",0] } } " : "pv0\",0] } } ", i + 1);
	}
	fputs("} " TAIL, out);
	fclose(out);
	ck_assert_int_eq(lea_vg_parse(arena, text, bytes, &why, &vg), _i ? 0 : LEA_VG_REFUSED);
	if (!_i)
		ck_assert_str_eq(why.what, "LVs nested too deeply");
	free(text);
}
