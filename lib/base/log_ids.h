/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of messages in the journal (MESSAGE_ID=), random and permanent. udev/lvmevent.catalog
 * explains each.
 */
#pragma once

#define LEA_MESSAGE_INCOMPLETE	"d1d02f92175a4133a1e62fa587ac97bc"
#define LEA_MESSAGE_FAILED	"34d7624db05048ed8e1f2baa7ed049b0"
#define LEA_MESSAGE_DUPLICATE	"6cf42dd4afa34032b25e6a96d7405662"
#define LEA_MESSAGE_UNFINISHED	"01b986f66b98470ebad4116388aed6b2"
#define LEA_MESSAGE_QUARANTINED "494470f4ec5d42caba7c13b3b3802b43"
#define LEA_MESSAGE_DAMAGED	"ff1a39add6e94ef7b74dfc010a57c9be"
#define LEA_MESSAGE_UNREADABLE	"d51d9b10c5bd4f4a9b1c6ed131a17e63"
#define LEA_MESSAGE_BOOT	"a801c77f6fa24c0ba2fc9a382cb5998b"
#define LEA_MESSAGE_IN_PART	"82df8c85b089405ab745fdef10a34647"
#define LEA_MESSAGE_BACK	"aaf31b519bbf4e5da86859374e820bf4"
#define LEA_MESSAGE_DOCTOR	"7e50c7d3706e4308969fa3b04ac9d706"
#define LEA_MESSAGE_SNAPSHOT	"b2b36c9ec9e14c67b6157e2a51c63565"
