/* Regressions planted on purpose, for tests of `cuzk diagnose`: only in builds with the CMake
 * option CUZK_PLANT; in all others this is nothing.
 *
 * The environment variable CUZK_PLANT says what is planted, as words separated by commas:
 *   on=A1+B1      only while all of these switches are on
 *   place=ntt     at the end of this phase ...
 *   percent=20    ... so many percent of the processor time that its thread took are burnt
 *   memory=24     so many MiB are held from the end of srs_load to the end of self_check
 */
#ifndef CUZK_BASE_PLANT_H
#define CUZK_BASE_PLANT_H

#ifdef CUZK_PLANT
void cuzk_plant_phase_begin(const char *phase);
void cuzk_plant_phase_end(const char *phase);
#else
static inline void cuzk_plant_phase_begin(const char *phase)
{
    (void)phase;
}
static inline void cuzk_plant_phase_end(const char *phase)
{
    (void)phase;
}
#endif

#endif
