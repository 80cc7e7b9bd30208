/* Shared by test_switches.c and test_switches_full.c: proofs of real requests with the published
 * r and s, compared with the golden ones. */
#ifndef CUZK_TEST_SWITCHES_SUPPORT_H
#define CUZK_TEST_SWITCHES_SUPPORT_H

#include "unit/groth16_support.h"

#include "base/switches.h"
#include "cuzk/cuzk.h"

static cuzk_prover *provers[2]; /* compiled, interpreted */

static inline void make_provers(const char *params_dir)
{
    cuzk_prover_options opt = CUZK_PROVER_OPTIONS_DEFAULTS;
    opt.params_dir = params_dir;
    opt.insecure_test_rs = true;
    for (int i = 0; i < 2; i++) {
        opt.interpreted = i;
        assert_int_equal(cuzk_prover_new(&provers[i], &opt, NULL), CUZK_OK);
    }
}

static inline void free_provers(void)
{
    cuzk_prover_free(provers[0]);
    cuzk_prover_free(provers[1]);
}

static inline void set_switches(const char *list)
{
    cuzk_err err = {0};
    if (cuzk_switches_set(list, &err) != CUZK_OK)
        fail_msg("%s: %s", list, err.msg);
}

/* Proves name under the switches and compares; they are as in the table before and after. */
static inline void check_golden(const char *name, bool interpreted, const char *switches)
{
    cuzk_request *req = NULL;
    cuzk_err err = {0};
    cuzk_prove_options opt = CUZK_PROVE_OPTIONS_DEFAULTS;
    uint8_t *proof = NULL;
    size_t n = 0, n_golden;
    char file[64];
    assert_int_equal(cuzk_request_open(&req, test_data("requests", name), NULL), CUZK_OK);
    set_switches("default");
    set_switches(switches);
    if (cuzk_prover_prove(provers[interpreted], req, &opt, &proof, &n, &err) != CUZK_OK)
        fail_msg("%s with %s: %s", name, switches, err.msg);
    set_switches("default");
    for (size_t i = 0; i < n / CUZK_PROOF_BYTES; i++) {
        snprintf(file, sizeof file, "%s/golden-%zu.proof", name, i);
        uint8_t *golden = test_read_file(test_data("requests", file), &n_golden);
        assert_int_equal(n_golden, CUZK_PROOF_BYTES);
        if (memcmp(golden, proof + i * CUZK_PROOF_BYTES, n_golden) != 0)
            fail_msg("%s with %s: another proof", name, switches);
        cuzk_free(golden);
    }
    cuzk_bytes_free(proof);
    cuzk_request_close(req);
}

/* "NAME=off" for one that is on, and the other way round. */
static inline bool flipped(char out[64], size_t i)
{
    cuzk_switch_info info;
    if (!cuzk_switch_at(&info, i))
        return false;
    snprintf(out, 64, "%s=%s", info.name, info.is_on_by_default ? "off" : "on");
    return true;
}

/* A1, A2 and the evaluation of C exist in the interpreted synthesis. */
static inline bool acts_interpreted(size_t i)
{
    return i == CUZK_SWITCH_A1 || i == CUZK_SWITCH_A2 || i == CUZK_SWITCH_C_PRODUCT;
}

/* Each switch flipped, alone. */
static inline void check_each_flipped(const char *name)
{
    char list[64];
    for (size_t i = 0; flipped(list, i); i++) {
        check_golden(name, false, list);
        if (acts_interpreted(i))
            check_golden(name, true, list);
    }
}

/* The switches that mask selects, flipped together. */
static inline void check_flipped_together(const char *name, bool interpreted, uint64_t mask)
{
    char list[1024] = "", one[64];
    for (size_t i = 0; flipped(one, i); i++) {
        if (!(mask >> i & 1))
            continue;
        if (list[0])
            strcat(list, ",");
        strcat(list, one);
    }
    check_golden(name, interpreted, list);
}

#endif
