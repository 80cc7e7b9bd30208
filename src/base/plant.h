/* Regressions planted on purpose, for tests of `cuzk diagnose`: only in builds with the CMake
 * option CUZK_PLANT; in all others this is nothing.
 *
 * The environment variable CUZK_PLANT says what is planted, as words separated by commas:
 *   on=A1+B1      only while all of these switches are on
 *   place=ntt     at the end of this phase ...
 *   percent=20    ... so many percent of the time the phase took are burnt, by a loop
 *   memory=24     so many MiB are held from the end of srs_load to the end of self_check
 */
#ifndef CUZK_BASE_PLANT_H
#define CUZK_BASE_PLANT_H

#include <stdint.h>

#ifdef CUZK_PLANT
void cuzk_plant_phase_end(const char *phase, uint64_t begin_ns);
#else
static inline void cuzk_plant_phase_end(const char *phase, uint64_t begin_ns)
{
    (void)phase;
    (void)begin_ns;
}
#endif

#endif
