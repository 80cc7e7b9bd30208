/* For readers that take a path: the input as a file in memory. */
#ifndef CUZK_FUZZ_MEMORY_FILE_H
#define CUZK_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Calls read with the path of a file that holds the n bytes. */
static inline void with_memory_file(const uint8_t *data, size_t n, void (*read)(const char *path))
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, n) == (ssize_t)n)
        read(path);
    close(fd);
}

#endif
