/* Proof bytes: A || B || C compressed (spec formats.md 7.8). */
#include "curve/codec.h"
#include "groth16/groth16.h"

void cuzk_proof_write(uint8_t out[GROTH16_PROOF_BYTES], const groth16_proof *proof)
{
    cuzk_g1_write_compressed(out, &proof->a);
    cuzk_g2_write_compressed(out + 48, &proof->b);
    cuzk_g1_write_compressed(out + 144, &proof->c);
}

static cuzk_status bad_element(const char *name, const char *what, cuzk_err *err)
{
    return cuzk_fail(err, CUZK_ENCODING, 0, "proof element %s %s", name, what);
}

static cuzk_status read_g1(g1_affine *p, const uint8_t in[48], const char *name, cuzk_err *err)
{
    point_status st = cuzk_g1_read_compressed_checked(p, in);
    if (st != POINT_OK)
        return bad_element(name, cuzk_point_status_text(st), err);
    return g1_affine_is_identity(p) ? bad_element(name, "is the identity", err) : CUZK_OK;
}

static cuzk_status read_g2(g2_affine *p, const uint8_t in[96], const char *name, cuzk_err *err)
{
    point_status st = cuzk_g2_read_compressed_checked(p, in);
    if (st != POINT_OK)
        return bad_element(name, cuzk_point_status_text(st), err);
    return g2_affine_is_identity(p) ? bad_element(name, "is the identity", err) : CUZK_OK;
}

cuzk_status cuzk_proof_read(groth16_proof *out, const uint8_t in[GROTH16_PROOF_BYTES],
                            cuzk_err *err)
{
    groth16_proof proof;
    cuzk_status st;
    CUZK_TRY(read_g1(&proof.a, in, "A", err));
    CUZK_TRY(read_g2(&proof.b, in + 48, "B", err));
    CUZK_TRY(read_g1(&proof.c, in + 144, "C", err));
    *out = proof;
out:
    return st;
}
