/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program that launches kernels on a GPU, and its own runtime: "launcher SECONDS" creates the
 * kernel "saxpy" and launches it a thousand times a second, by functions of OpenCL's names that do
 * nothing. It says "ready" when it begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#pragma GCC optimize("no-omit-frame-pointer")

void *clCreateKernel(void *program, const char *name, int *error);
int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned int dimensions);
void train_step(void *kernel);

static volatile int calls;
static char objects[64];

__attribute__((noipa, used)) void *clCreateKernel(void *program, const char *name, int *error)
{
	calls++;
	*error = !*name;
	return (char *)program + 16;
}

__attribute__((noipa, used)) int clEnqueueNDRangeKernel(
	void *queue, void *kernel, unsigned int dimensions)
{
	calls++;
	return !queue || !kernel || !dimensions;
}

__attribute__((noipa, used)) void train_step(void *kernel)
{
	clEnqueueNDRangeKernel(objects, kernel, 1);
	calls++;
}

int main(int argc, char **argv)
{
	const long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int error;

	if (seconds < 1 || seconds > 60) {
		fprintf(stderr, "usage: launcher SECONDS\n");
		return 64;
	}
	puts("ready");
	fflush(stdout);
	for (long i = 0; i < seconds * 1000; i++) {
		/* Again and again, as one that was created before is seen has no name. */
		train_step(clCreateKernel(objects, "saxpy", &error));
		usleep(1000);
	}
	return 0;
}
