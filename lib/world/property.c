/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/property.h"

#include "base/err.h"

#include <string.h>

static const char *const kept_prefixes[] = {
	"DEVTYPE", "DM_", "ID_", "LVM_", "MD_", "MPATH_", "SYSTEMD_READY", "UDEV_DISABLE_",
};

bool lea_property_is_kept(const char *key, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_prefixes); i++)
		if (!strncmp(key, kept_prefixes[i], strlen(kept_prefixes[i])))
			return !strchr(value, '\n');
	return false;
}
