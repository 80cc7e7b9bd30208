/* Files: whole reads with a stated maximum, read-only mappings, and writes that appear only when
 * complete (written to NAME.part-<pid>, synced, renamed). */
#ifndef CUZK_BASE_FILE_H
#define CUZK_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Reads all of path into a new block (free with cuzk_free), with a NUL after the last byte.
 * CUZK_NOT_FOUND, CUZK_IO, or CUZK_BUDGET when larger than max_bytes. */
cuzk_status cuzk_file_read(uint8_t **out, size_t *n_bytes, const char *path, size_t max_bytes,
                           cuzk_err *err);

/* Writes n bytes so that path is either the old file or the complete new one. */
cuzk_status cuzk_file_write(const char *path, const void *data, size_t n, cuzk_err *err);

/* The same for content that is produced piece by piece. */
typedef struct {
    FILE *f;
    char *path, *part_path;
    /* May be set after open, for what can be made anew: commit then does not wait for the disk, and
     * after a crash of the machine the new file may be empty. */
    bool no_sync;
} cuzk_file_writer;

cuzk_status cuzk_file_writer_open(cuzk_file_writer *w, const char *path, cuzk_err *err);
cuzk_status cuzk_file_writer_put(cuzk_file_writer *w, const void *data, size_t n, cuzk_err *err);
cuzk_status cuzk_file_writer_commit(cuzk_file_writer *w, cuzk_err *err); /* also closes */
void cuzk_file_writer_abort(cuzk_file_writer *w); /* removes the part file; safe after commit */

/* Joins DIR/NAME into a new string (cuzk_free); NULL when out of memory. */
char *cuzk_path_join(const char *dir, const char *name);

/* mkdir -p for the folder itself. */
cuzk_status cuzk_make_dirs(const char *dir, cuzk_err *err);

#endif
