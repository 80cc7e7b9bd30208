/* Optimisations that can be switched on and off while the process runs (docs/switches.md). They
 * change how fast a proof is made, never its bytes. */
#ifndef CUZK_SWITCHES_H
#define CUZK_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "cuzk/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct {
    const char *name;     /* "A1", "batched-affine" */
    const char *what;     /* what it does; off: what is done instead */
    const char *where;    /* files, or the command, where it acts */
    const char *measured; /* page with the figures */
    bool is_on, is_on_by_default;
} cuzk_switch_info; /* strings are static */

/* The i-th switch in the order of the table; false past the end. */
bool cuzk_switch_at(cuzk_switch_info *out, size_t i);

/* list: "A1=off,B1=on"; values on, off, yes, no, true, false, 1, 0; letter case and spaces around
 * words do not matter; "default" alone sets all as the table does. Either the whole list takes
 * effect or, on an error (CUZK_INVAL, which names the nearest name), nothing. Any thread; a proof
 * that is running picks the change up phase by phase, harmlessly. */
cuzk_status cuzk_switches_set(const char *list, cuzk_err *err);

/* Sets what CUZK_OPTS in the environment says; nothing when it is unset or empty. This happens
 * before main, too; an error there is returned here, and by cuzk_prover_new. */
cuzk_status cuzk_switches_from_environment(cuzk_err *err);

/* All switches as a list that cuzk_switches_set accepts. Cut at n bytes with the 0;
 * CUZK_SWITCHES_BYTES are enough. */
#define CUZK_SWITCHES_BYTES 512
void cuzk_switches_format(char out[], size_t n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
