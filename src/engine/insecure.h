/* The published test scalars. Whoever knows them can forge proofs for parameters made from them:
 * they exist so that parameter files and proofs can be compared byte for byte between
 * implementations.
 */
#ifndef CUZK_ENGINE_INSECURE_H
#define CUZK_ENGINE_INSECURE_H

#include "groth16/groth16.h"

/* SHA-256 of the name, the two top bits of byte 31 cleared, little-endian. */
void cuzk_insecure_scalar(fr *out, const char *name);
/* cuzk-insecure-setup/v1/alpha, beta, gamma, delta, tau */
void cuzk_insecure_secrets(groth16_secrets *out);
/* cuzk-test-proof/v1/r/K and s/K */
void cuzk_insecure_proof_rs(fr *r, fr *s, unsigned partition);
/* Was this key made from cuzk_insecure_secrets? (Compares alpha, beta, gamma and delta.) */
bool cuzk_insecure_vk(const groth16_vk *vk);

#endif
