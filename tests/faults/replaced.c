/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that sleeps for 0.2 s, and then becomes "sleep 0.3" in place of the whole process, whose
 * first thread waited for it.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *become_another(void *arg)
{
	const struct timespec time = {.tv_nsec = 200000000};

	(void)arg;
	nanosleep(&time, NULL);
	execlp("sleep", "sleep", "0.3", (char *)NULL);
	_exit(127);
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, become_another, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 1;
}
