/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns texts into one struct, by the table of keys; then applies environment and options. */
#include "world/conf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "world/conf_file.h"

#define MAX_BYTES      (16U * 1024U * 1024U)
#define PV_MIN_KIB     512U /* a smaller pv_min_size is raised, as in lvm2 */
#define OWN_FILE       "lvmevent.conf"
#define OWN_SECTION    "event"
#define DEFAULT_SYSTEM "/etc/lvm"

struct owner {
	struct lea_conf conf;
	struct lea_arena *arena;
};

void lea_conf_free(struct lea_conf *conf)
{
	if (conf)
		/* The arena holds the configuration itself. */
		lea_arena_free(container_of(conf, struct owner, conf)->arena);
}

static void *field_of(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	return (char *)reader->conf + key->offset;
}

static void set_number(void *field, unsigned int width, int64_t number)
{
	if (width == sizeof(uint64_t))
		*(uint64_t *)field = (uint64_t)number;
	else
		*(uint32_t *)field = (uint32_t)number;
}

static bool word_is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(word, *words))
			return true;
	return false;
}

static bool parse_bool(const struct lea_value *value, bool *ret_bool)
{
	static const char *const yes[] = {"y", "yes", "on", "true", NULL};
	static const char *const no[] = {"n", "no", "off", "false", NULL};
	const char *word = value->string;
	int64_t number;

	if (lea_value_int(value, &number)) {
		*ret_bool = number != 0;
		return true;
	}
	if (!word || (!word_is_one_of(word, yes) && !word_is_one_of(word, no)))
		return false;
	*ret_bool = word_is_one_of(word, yes);
	return true;
}

static bool parse_choice(const struct lea_value *value, enum lea_choice *ret_choice)
{
	const char *word = value->string;
	bool is_yes;

	if (word && !strcasecmp(word, "auto")) {
		*ret_choice = LEA_CHOICE_AUTO;
		return true;
	}
	if (!parse_bool(value, &is_yes))
		return false;
	*ret_choice = is_yes ? LEA_CHOICE_YES : LEA_CHOICE_NO;
	return true;
}

static bool complain(const struct lea_conf_reader *reader, const struct lea_conf_key *key,
		     const char *what)
{
	lea_log(reader->world->log, LEA_LOG_WARNING, "WARNING: Configuration setting \"%s\" %s.",
		key->path, what);
	return true;
}

static int set_string(struct lea_conf_reader *reader, const char **field, const char *string)
{
	*field = lea_arena_strdup(reader->arena, string);
	return *field ? 0 : -ENOMEM;
}

/* Sets one field. Logs an invalid value and keeps the previous one. */
static int set_value(struct lea_conf_reader *reader, const struct lea_conf_key *key,
		     const struct lea_value *value)
{
	const char *string = value->string;
	void *field = field_of(reader, key);
	int64_t number;

	switch (key->type) {
	case LEA_CONF_BOOL:
		if (!parse_bool(value, field))
			complain(reader, key, "is not a boolean");
		return 0;
	case LEA_CONF_CHOICE:
		if (!parse_choice(value, field))
			complain(reader, key, "is neither \"auto\" nor a boolean");
		return 0;
	case LEA_CONF_NUMBER:
		if (!lea_value_int(value, &number))
			complain(reader, key, "is not a number");
		else if (number < key->min || number > key->max)
			complain(reader, key, "is out of range");
		else
			set_number(field, key->width, number);
		return 0;
	case LEA_CONF_STRING:
		if (string)
			return set_string(reader, field, string);
		complain(reader, key, "is not a string");
		return 0;
	case LEA_CONF_WORD:
		if (string)
			*(bool *)field = !strcmp(string, key->word);
		else
			complain(reader, key, "is not a string");
		return 0;
	case LEA_CONF_LIST:
	default:
		return 0;
	}
}

/* Lists may contain numbers (devices/types); converts them to text. */
static const char *item_of(struct lea_conf_reader *reader, const struct lea_value *value)
{
	const char *string = value->string;
	int64_t number = 0;

	if (string)
		return lea_arena_strdup(reader->arena, string);
	if (lea_value_int(value, &number))
		return lea_arena_printf(reader->arena, "%lld", (long long)number);
	return "";
}

static int set_list(struct lea_conf_reader *reader, const struct lea_conf_key *key,
		    const struct lea_text *entry, bool keep_old)
{
	struct lea_list *list = field_of(reader, key), made = {.defined = true};
	uint32_t old = keep_old ? list->count : 0, count = old;

	for (const struct lea_value *v = lea_text_values(entry); v; v = v->next)
		count++;
	made.item = lea_arena_alloc(reader->arena, count ? count : 1, sizeof(*made.item));
	if (!made.item)
		return -ENOMEM;
	for (const struct lea_value *v = lea_text_values(entry); v; v = v->next) {
		made.item[made.count] = item_of(reader, v);
		if (!made.item[made.count++])
			return -ENOMEM;
	}
	if (old)
		memcpy(made.item + made.count, list->item, old * sizeof(*made.item));
	made.count = count;
	*list = made;
	return 0;
}

static int read_key(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	const struct lea_text *entry;
	bool is_file;
	int r = 0;

	for (uint32_t i = 0; !r && i < reader->source_count; i++) {
		entry = lea_conf_entry(reader, i, key->path);
		if (!entry)
			continue;
		is_file = reader->source[i].is_file;
		if (key->type == LEA_CONF_LIST)
			r = set_list(reader, key, entry, key->prepends && is_file);
		else if (lea_text_values(entry))
			r = set_value(reader, key, lea_text_values(entry));
		else
			complain(reader, key, "has no value");
	}
	return r;
}

/* ["ITEM","ITEM"]: scripts/lvm-defaults accepts no other form of a list. */
static int set_default_list(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	struct lea_list *list = field_of(reader, key);
	char *text = lea_arena_strdup(reader->arena, key->default_);

	list->item = lea_arena_alloc(reader->arena, strlen(key->default_), sizeof(*list->item));
	if (!text || !list->item)
		return -ENOMEM;
	list->defined = true;
	while ((text = strchr(text, '"'))) {
		list->item[list->count++] = ++text;
		text = strchr(text, '"');
		if (!text)
			return -EINVAL;
		*text++ = '\0';
	}
	return 0;
}

/* Defaults are texts, so that they print as an administrator would write them. */
static int set_default(struct lea_conf_reader *reader, const struct lea_conf_key *key)
{
	void *field = field_of(reader, key);

	switch (key->type) {
	case LEA_CONF_BOOL:
		*(bool *)field = key->default_[0] == '1';
		return 0;
	case LEA_CONF_CHOICE:
		*(enum lea_choice *)field = !strcmp(key->default_, "auto") ? LEA_CHOICE_AUTO
					    : key->default_[0] == '1'	   ? LEA_CHOICE_YES
									   : LEA_CHOICE_NO;
		return 0;
	case LEA_CONF_WORD:
		*(bool *)field = !strcmp(key->default_, key->word);
		return 0;
	case LEA_CONF_NUMBER:
		set_number(field, key->width, strtoll(key->default_, NULL, 0));
		return 0;
	case LEA_CONF_STRING:
		*(const char **)field = key->default_;
		return 0;
	case LEA_CONF_LIST:
	default:
		return key->default_ ? set_default_list(reader, key) : 0;
	}
}

static int read_keys(struct lea_conf_reader *reader)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	int r = 0;

	for (uint32_t i = 0; !r && i < count; i++) {
		r = set_default(reader, &keys[i]);
		r = r ? r : read_key(reader, &keys[i]);
	}
	return r;
}

/* Warns about unknown keys in our own file: they are typing errors. */
static void name_unknown(struct lea_conf_reader *reader, const struct lea_text_tree *tree)
{
	const struct lea_text *section = tree->root;
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);
	char path[128];
	bool known;

	for (; section; section = section->next)
		for (const struct lea_text *e = section->child; e; e = e->next) {
			snprintf(path, sizeof(path), "%s/%s", section->key, e->key);
			known = !strncmp(path, OWN_SECTION "/", strlen(OWN_SECTION "/"));
			for (uint32_t i = 0; known && i < count; i++)
				if (!strcmp(keys[i].path, path))
					break;
				else if (i + 1 == count)
					known = false;
			if (!known)
				lea_log(reader->world->log, LEA_LOG_WARNING,
					"WARNING: %s: Configuration setting \"%s\" unknown.",
					OWN_FILE, path);
		}
}

static int add_own_file(struct lea_conf_reader *reader, bool forgive)
{
	uint32_t before = reader->source_count;
	int r = lea_conf_add_file(reader, OWN_FILE, forgive ? LEA_LOG_WARNING : LEA_LOG_ERROR);

	if (r > 0 && forgive) {
		lea_log(reader->world->log, LEA_LOG_WARNING,
			"WARNING: %s is ignored, its settings have their defaults.", OWN_FILE);
		return 0;
	}
	if (!r && reader->source_count > before)
		name_unknown(reader, reader->source[before].tree);
	return r;
}

static bool devicesfile_name_ok(const char *name)
{
	return strlen(name) < 128 && strcmp(name, ".") && strcmp(name, "..") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+") ==
		       strlen(name);
}

/* Settings that change lvm2's behaviour in ways that we do not implement: rare, and obsolete. */
static const char *lvm_only(const struct lea_conf *conf)
{
	if (conf->metadata_read_only)
		return "global/metadata_read_only is set";
	if (!conf->locking_type || conf->locking_type == 4 || conf->locking_type == 5)
		return "global/locking_type asks for another kind of locking";
	if (conf->scan.count != 1 || strcmp(conf->scan.item[0], "/dev") != 0)
		return "devices/scan names other folders than /dev";
	return NULL;
}

static const char *const boot_waits[] = {
	[LEA_BOOT_WAIT_NEEDED] = "needed",
	[LEA_BOOT_WAIT_ALL] = "all",
	[LEA_BOOT_WAIT_NONE] = "none",
};

enum lea_boot_wait lea_conf_boot_wait(const struct lea_conf *conf)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(boot_waits); i++)
		if (!strcmp(conf->boot_wait, boot_waits[i]))
			return (enum lea_boot_wait)i;
	return LEA_BOOT_WAIT_NEEDED;
}

static int apply_options(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	const char *disable_udev = lea_world_env(reader->world, "DM_DISABLE_UDEV");
	struct lea_conf *conf = reader->conf;

	if (strcmp(conf->boot_wait, boot_waits[lea_conf_boot_wait(conf)]) != 0)
		lea_log(reader->world->log, LEA_LOG_WARNING,
			"WARNING: Configuration setting \"event/boot_wait\" is not \"needed\", "
			"\"all\" or \"none\".");
	if (disable_udev && disable_udev[0]) {
		conf->udev_sync = conf->udev_rules = false;
		conf->verify_udev_operations = true;
	}
	if (options->driverloaded_no)
		conf->activation = false;
	conf->lvm_only = lvm_only(conf);
	if (conf->pv_min_kib < PV_MIN_KIB)
		conf->pv_min_kib = PV_MIN_KIB;
	if (options->devicesfile) {
		conf->use_devicesfile = options->devicesfile[0];
		if (conf->use_devicesfile)
			conf->devicesfile = lea_arena_strdup(reader->arena, options->devicesfile);
	}
	conf->use_devicesfile |= options->instead.devices != NULL;
	if (!conf->devicesfile)
		return -ENOMEM;
	if (devicesfile_name_ok(conf->devicesfile))
		return 0;
	lea_log(reader->world->log, LEA_LOG_ERROR, "Invalid devices file name %s.",
		conf->devicesfile);
	return LEA_CONF_BAD_OPTION;
}

static int read_sources(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	const char *profile = options->command_profile;
	int r;

	reader->forgives = options->forgive;
	if (options->own_file_only)
		return add_own_file(reader, options->forgive);
	r = lea_conf_add_defaults(reader);
	r = r ? r : lea_conf_add_files(reader);
	r = r ? r : add_own_file(reader, options->forgive);
	if (!r && options->config)
		r = lea_conf_add_text(reader, options->config);
	if (!profile)
		profile = lea_world_env(reader->world, "LVM_COMMAND_PROFILE");
	if (!r && profile && profile[0])
		r = lea_conf_check_profile(reader, profile);
	return r;
}

static int fill(struct lea_conf_reader *reader, const struct lea_conf_options *options)
{
	struct lea_conf *conf = reader->conf;
	const char *system_dir = lea_world_env(reader->world, "LVM_SYSTEM_DIR");
	int r;

	conf->instead = options->instead;
	r = set_string(reader, &conf->system_dir, system_dir ? system_dir : DEFAULT_SYSTEM);
	r = r ? r : read_sources(reader, options);
	r = r ? r : read_keys(reader);
	if (!r && !options->own_file_only)
		r = lea_systemid_read(reader);
	if (r)
		return r;
	conf->host_tags = (struct lea_list){
		.item = lea_arena_alloc(reader->arena, reader->tag_count + 1, sizeof(char *)),
		.count = reader->tag_count,
		.defined = reader->tag_count > 0,
	};
	if (!conf->host_tags.item)
		return -ENOMEM;
	memcpy(conf->host_tags.item, reader->tag, reader->tag_count * sizeof(char *));
	return apply_options(reader, options);
}

int lea_conf_read(struct lea_world *world, const struct lea_conf_options *options,
		  struct lea_conf **ret_conf)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(MAX_BYTES);
	struct owner *owner = arena ? lea_arena_alloc(arena, 1, sizeof(*owner)) : NULL;
	struct lea_conf_reader reader = {.world = world, .arena = arena};
	int r;

	if (!owner)
		return -ENOMEM;
	owner->arena = arena;
	reader.conf = &owner->conf;
	r = fill(&reader, options);
	lea_conf_sources_free(&reader);
	if (r)
		return r;
	arena = NULL;
	*ret_conf = &owner->conf;
	return 0;
}

uint32_t lea_conf_patience_ms(const struct lea_conf *conf)
{
	return conf->probe_deadline_ms / LEA_PATIENCE_PART;
}

uint32_t lea_conf_udev_limit_ms(const struct lea_conf *conf)
{
	/* Without that limit, udev's progress is not checked. */
	return lea_conf_patience_ms(conf) ? conf->udev_deadline_ms * LEA_UDEV_BUSY_TIMES
					  : conf->udev_deadline_ms;
}
