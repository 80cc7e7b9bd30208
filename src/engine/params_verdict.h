/* Digests of parameter files, remembered: a file of 47 GB is read for its digest once, not at each
 * start of the daemon.
 *
 * A file is known again by device, inode, size and time of change of its content (ns). What is
 * remembered is the digest that was found, not an opinion on it. It is kept in memory and in the
 * file params-digests of the cache folder, a line a file, each with a check value; lines that do
 * not hold are ignored with a log line. The file may be deleted at any time. A digest that speaks
 * against a file is never taken from there: such a file is read again. Thread-safe.
 */
#ifndef CUZK_ENGINE_PARAMS_VERDICT_H
#define CUZK_ENGINE_PARAMS_VERDICT_H

#include "base/error.h"
#include "engine/params_table.h"
#include "groth16/params_layout.h"

typedef struct params_verdicts params_verdicts;

/* folder: NULL: $XDG_CACHE_HOME/cuzk, else $HOME/.cache/cuzk, else /var/cache/cuzk; "": nothing is
 * kept on disk. The folder is made when there is something to keep. */
cuzk_status cuzk_verdicts_new(params_verdicts **out, const char *folder, cuzk_err *err);
void cuzk_verdicts_free(params_verdicts *v);                /* accepts NULL */
const char *cuzk_verdicts_folder(const params_verdicts *v); /* "" when none */

/* Compares the digest of an open file with expected (hex), from memory or by reading it all (spans
 * minutes for large files). CUZK_OK; CUZK_CORRUPT with both digests; CUZK_IO when two readings
 * differ, or the file changed meanwhile; CUZK_CANCELLED. f->done and f->cancel are served. */
cuzk_status cuzk_verdict_check(params_verdicts *v, const params_file *f, const char *expected,
                               cuzk_err *err);
/* Is the digest of this file known, so that the check takes no time? */
bool cuzk_verdict_known(params_verdicts *v, const params_file *f);

/* The digest itself; reads the whole file. */
cuzk_status cuzk_params_digest(char out[PARAMS_DIGEST_CHARS + 1], const params_file *f,
                               cuzk_err *err);

#endif
