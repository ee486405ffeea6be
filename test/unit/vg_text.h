/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metadata texts assembled from pieces. */
#pragma once

#define ID(c) "\"" c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c "\""
#define VG_HEAD                                                                                    \
	"v { id=" ID("a") " seqno=1 format=\"lvm2\" status=[\"READ\",\"WRITE\"] extent_size=8 "    \
			  "max_lv=0 max_pv=0 "
#define PVS                                                                                        \
	"physical_volumes { pv0 { id=" ID(                                                         \
		"b") " status=[\"ALLOCATABLE\"] pe_start=8 pe_count=10 } "                         \
		     "pv1 { id=" ID("c") " status=[] pe_start=8 pe_count=4 } } "
#define TAIL "} contents=\"Text Format Volume Group\" version=1"
#define LV(name, id, segs)                                                                         \
	name " { id=" ID(id) " status=[\"READ\",\"WRITE\",\"VISIBLE\"] " segs " } "
#define SEG(start, count, more)                                                                    \
	"s" start " { start_extent=" start " extent_count=" count " type=" more " } "
#define LINEAR(pv, pe) "\"striped\" stripe_count=1 stripes=[\"" pv "\"," pe "]"
#define ONE	       "segment_count=1 "
#define TWO	       "segment_count=2 "
#define LVS(lvs)       VG_HEAD PVS "logical_volumes { " lvs "} " TAIL
