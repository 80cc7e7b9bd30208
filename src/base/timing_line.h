/* The lines of CUZK_TIMING: one write(2) each on stderr, so they appear at once and whole, whatever
 * stderr is connected to; a reader that has gone away does no harm. */
#ifndef CUZK_BASE_TIMING_LINE_H
#define CUZK_BASE_TIMING_LINE_H

#include "base/span_ring.h"

typedef enum { TIMING_OFF, TIMING_TEXT, TIMING_JSON } timing_mode;

/* What was set, else what CUZK_TIMING says now: 1, json. */
timing_mode cuzk_timing_mode(void);
void cuzk_timing_set_mode(timing_mode mode);

/* label is the job's whole name (the event has only its beginning). */
void cuzk_timing_line(timing_mode mode, const char *label, const span_event *event);

#endif
