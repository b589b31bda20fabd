/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function of which file is at an address of a process? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/gpu/functions.h"
#include "tools/gpu/functions_apart.h"
#include "sys/open_beneath.h"
#include "sys/caps.h"
#include "tools/gpu/symbols.h"

enum {
	PROCESSES_MAX = 64,
	MAPPINGS_MAX = 8192, /* with code, of a process */
	FILES_MAX = 512,
	LINES_MAX = 262144, /* of a maps file */
	/* Of memory for the functions of all files: those of LLVM's library take 8 MiB. */
	FUNCTIONS_BYTES_MAX = 64 << 20,
};

struct mapping {
	uint64_t start, end, offset;
	size_t file;
};

struct process {
	pid_t pid;
	struct mapping *mappings;
	size_t n, room;
};

struct file {
	char *path;
	pid_t pid; /* one that has it */
	char device_inode[64];
	bool is_read;
	struct functions functions;
};

struct symbols {
	struct process processes[PROCESSES_MAX];
	size_t n_processes;
	struct file files[FILES_MAX];
	size_t n_files;
	size_t functions_bytes;
};

struct symbols *symbols_new(void)
{
	return mem_zalloc(sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->n_processes; i++)
		free(symbols->processes[i].mappings);
	for (size_t i = 0; i < symbols->n_files; i++) {
		free(symbols->files[i].path);
		functions_free(&symbols->files[i].functions);
	}
	free(symbols);
}

/* The index of a file, new or not, or FILES_MAX. */
static size_t file_of(
	struct symbols *symbols, pid_t pid, const char *path, const char *device_inode)
{
	size_t i;

	for (i = 0; i < symbols->n_files; i++)
		if (!strcmp(symbols->files[i].device_inode, device_inode) &&
			!strcmp(symbols->files[i].path, path))
			return i;
	if (i == FILES_MAX)
		return FILES_MAX;
	symbols->files[i] = (struct file){.path = mem_strdup(path), .pid = pid};
	snprintf(symbols->files[i].device_inode, sizeof(symbols->files[i].device_inode), "%s",
		device_inode);
	return symbols->n_files++;
}

/* "start-end perms offset dev inode path": those of files whose code may run. */
static void symbols_take_line(struct symbols *symbols, struct process *process, char *line)
{
	char perms[5], device_inode[64], device[20];
	uint64_t start, end, offset, inode;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %19s %" SCNu64 " %n", &start,
		    &end, perms, &offset, device, &inode, &path) != 6 ||
		!path || perms[2] != 'x' || line[path] != '/' || process->n == MAPPINGS_MAX)
		return;
	line[strcspn(line, "\n")] = 0;
	snprintf(device_inode, sizeof(device_inode), "%s:%" PRIu64, device, inode);
	ARRAY_GROW(process->mappings, process->n, process->room);
	process->mappings[process->n++] = (struct mapping){
		start, end, offset, file_of(symbols, process->pid, line + path, device_inode)};
}

static void read_mappings(struct symbols *symbols, struct process *process)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	process->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	caps_raise(CAPS_READ | CAPS_PTRACE);
	maps = fopen(path, "re");
	caps_lower(CAPS_READ | CAPS_PTRACE);
	for (int i = 0; maps && i < LINES_MAX && getline(&line, &size, maps) > 0; i++)
		symbols_take_line(symbols, process, line);
	if (maps)
		fclose(maps);
	free(line);
}

static struct process *process_of(struct symbols *symbols, pid_t pid)
{
	struct process *process;

	for (size_t i = 0; i < symbols->n_processes; i++)
		if (symbols->processes[i].pid == pid)
			return &symbols->processes[i];
	if (symbols->n_processes == PROCESSES_MAX)
		return NULL;
	process = &symbols->processes[symbols->n_processes++];
	*process = (struct process){.pid = pid};
	read_mappings(symbols, process);
	return process;
}

static const struct mapping *mapping_at(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->n; i++)
		if (address >= process->mappings[i].start && address < process->mappings[i].end)
			return &process->mappings[i];
	return NULL;
}

/* As the process sees it, whatever root it has. Returns a descriptor or -errno. */
static int symbols_open_file(const struct file *file)
{
	char root[32];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)file->pid);
	caps_raise(CAPS_READ | CAPS_PTRACE);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = dir < 0 ? -errno : beneath_open(dir, file->path, O_RDONLY);
	caps_lower(CAPS_READ | CAPS_PTRACE);
	if (dir >= 0)
		close(dir);
	return fd;
}

static void read_functions(struct symbols *symbols, struct file *file)
{
	int fd;

	if (file->is_read)
		return;
	file->is_read = true;
	fd = symbols_open_file(file);
	if (fd < 0)
		return;
	functions_read_apart(&file->functions, fd, FUNCTIONS_BYTES_MAX - symbols->functions_bytes);
	symbols->functions_bytes += file->functions.bytes;
	close(fd);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void symbols_add_name(struct symbols *symbols, pid_t pid, uint64_t address, struct str *out)
{
	struct process *process = process_of(symbols, pid);
	const struct mapping *mapping = process ? mapping_at(process, address) : NULL;
	struct file *file;
	const char *name;
	uint64_t offset;

	if (!mapping || mapping->file == FILES_MAX) {
		str_add(out, "[unknown]");
		return;
	}
	file = &symbols->files[mapping->file];
	offset = address - mapping->start + mapping->offset;
	read_functions(symbols, file);
	name = functions_at(&file->functions, offset);
	if (name)
		str_add(out, name);
	else
		str_addf(out, "%s+0x%" PRIx64, base_name(file->path), offset);
}
