/* Shared by test_circuits.c and test_circuits_full.c: the table of registered circuits, runners,
 * and requests made up from small trees (circuits.md 11.3, notes 1 and 2). */
#ifndef CUZK_TESTS_CIRCUIT_SUPPORT_H
#define CUZK_TESTS_CIRCUIT_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "circuit/poseidon.h"
#include "circuit/readings.h"
#include "filecoin/challenges.h"
#include "filecoin/circuits.h"

/* R1CS of the registered circuits, made with filecoin-proofs-api 19.1.0. */
typedef struct {
    const char *name;
    uint64_t inputs, aux, rows;
    const char *digest;
} registered_circuit;

static const registered_circuit registered_circuits[] = {
    {"porep-2k", 40, 2685673, 2687921,
     "2c120b1125bd531d5a62b11932b2ae0e0cb47f455cea582994f97534e296bb42"},
    {"porep-8m", 40, 3842449, 3844929,
     "b1fe5a4629fb8fc6684d6c90d6f8d6d32e5bccf6bc9439e4e8a9758e579328db"},
    {"porep-512m", 40, 4420837, 4423433,
     "c7ade8c93707968e967cce4507669258eab20ff010e6dc1827d55544ee671cbb"},
    {"porep-32g", 328, 130169893, 130278541,
     "a790207ea0435359e7d5f286563586e3f9a3a286c97af2440f65a4a18063d9cb"},
    {"porep-64g", 328, 131076643, 131185849,
     "7686117961498d7849ede7429233254b20e3b149011eca8674ca8e9ab0655af6"},
    {"winning-2k", 133, 91674, 90750,
     "ce8079a9875ac8fafc46902e0e2368fa997e7f2ffb2065d2666ef92bc3ca2f67"},
    {"winning-8m", 133, 233442, 230670,
     "f76fd7ab1915553c8dbffbd06ef73bc77119d7b4e2e129534256b9abd952d38e"},
    {"winning-512m", 133, 304326, 300630,
     "1edcd1f497a9d12871d3f692ec90c670d9f837b3e37c31958dbf2ea239c021df"},
    {"winning-32g", 133, 375210, 370590,
     "f65cddbca7106bac1a8b92148badb4d96f488d56c233bd59b0d0a6919445cf4f"},
    {"winning-64g", 133, 396000, 391314,
     "280879cc466ac3a629e7369617c7f774b28b9e39d39bcf56b896ff72d2481107"},
    {"wpost-2k", 23, 22128, 21866,
     "14279e1c38053fa35eab6f56dbf1c5ef337b533f2c42fd3d7b4e7a116796b331"},
    {"wpost-8m", 23, 65088, 64266,
     "ee6185d4d0e58fb6f56f11ebc105ec7a08829c99bbf18b91634e40d07abaee6f"},
    {"wpost-512m", 23, 86568, 85466,
     "24ea17320d86130abde49b4eff2f6df38d8806b99018c5c2ac68930d951325c6"},
    {"wpost-32g", 25840, 126902376, 125279217,
     "1036a47757014fa295aee4d8539d43c45adaf71c80a4b17c1dba6eca41b0d54f"},
    {"wpost-64g", 25301, 131500200, 129887900,
     "c0067486fdc1ab0885e045ae7e61190ec4cdc979f939d08d67c3d06fc3c6f42c"},
    {"snap-2k", 5, 1703569, 1705039,
     "c787aea9329f4525b3bcde14533b9b775654f6a9afe0a7c671783c8bd4f1f7a5"},
    {"snap-8m", 5, 9998039, 10007503,
     "ee2b98435ff8e35305acee8e08f1428bf5d19dd1164174a356e150c11df28ae4"},
    {"snap-512m", 5, 57401314, 57450479,
     "d9f9e8c5646d12ad5a07ce7967df4e19fd998a0439a3eb1585baf51559b24751"},
    {"snap-32g", 5, 80978488, 81049499,
     "ed11b3af5ba3ae6e1e9e56122c31c51507edb6516c97baf1893a97da69517634"},
    {"snap-64g", 5, 84931220, 85006101,
     "8854cef703f930ed25d91a7e818524f3e4c67bb2393ba3c70fbfb0b1572c96af"},
};

static inline void assert_digest(const char *name, const uint8_t digest[32], const char *want)
{
    char text[65];
    cuzk_hex_encode(text, digest, 32);
    if (strcmp(text, want) != 0)
        fail_msg("%s: digest %s, expected %s", name, text, want);
}

/* Densities and non-zeros of fixtures/r1cs; the file's nnz a is without input rows, as ours. */
typedef struct {
    uint64_t a_aux, b_aux, nnz_a, nnz_b, nnz_c;
} density_row;

static inline circuit_summary summarize(circuit_id id, FILE *blocks)
{
    circuit_instance in = {.id = id};
    cs_circuit circuit = cuzk_circuit_of(&in);
    circuit_summary s = {0};
    cuzk_err err = {0};
    if (cuzk_circuit_summarize(&s, &circuit, blocks, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    return s;
}

static inline void check_registered(const registered_circuit *r, FILE *blocks, circuit_summary *out)
{
    circuit_id id;
    assert_int_equal(cuzk_circuit_id_parse(&id, r->name, NULL), CUZK_OK);
    circuit_summary s = summarize(id, blocks);
    assert_int_equal(s.n_inputs, r->inputs);
    assert_int_equal(s.n_aux, r->aux);
    assert_int_equal(s.n_rows, r->rows);
    assert_int_equal(s.density_b_inputs, 1);
    assert_digest(r->name, s.digest, r->digest);
    if (out)
        *out = s;
}

/* A sink for counts alone. */
static inline cuzk_status ignore_variable(void *self, const fr *value, cuzk_err *err)
{
    (void)self, (void)value, (void)err;
    return CUZK_OK;
}

static inline cuzk_status ignore_row(void *self, cs_lc *a, cs_lc *b, cs_lc *c, cuzk_err *err)
{
    (void)self, (void)a, (void)b, (void)c, (void)err;
    return CUZK_OK;
}

static inline cs count_circuit(const cs_circuit *circuit)
{
    static const cs_sink_ops ops = {ignore_variable, ignore_variable, ignore_row};
    cs c;
    cs_init(&c, &ops, NULL);
    circuit->synthesize(circuit->ctx, &c);
    return c;
}

static inline witness_summary summarize_witness(const proof_request *req, unsigned partition,
                                                FILE *blocks)
{
    circuit_instance in = {{req->kind, req->shape}, req, partition};
    cs_circuit circuit = cuzk_circuit_of(&in);
    witness_summary w = {0};
    cuzk_err err = {0};
    if (cuzk_witness_summarize(&w, &circuit, blocks, &err) != CUZK_OK)
        fail_msg("partition %u: %s", partition, err.msg);
    return w;
}

/* The whole stream equals the text file. */
static inline void assert_same_text(FILE *got, const char *path)
{
    char a[128], b[128];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    rewind(got);
    while (fgets(a, sizeof a, f)) {
        assert_non_null(fgets(b, sizeof b, got));
        assert_string_equal(b, a);
    }
    assert_null(fgets(b, sizeof b, got));
    fclose(f);
}

static inline void check_witness_blocks(const char *folder, unsigned partition, FILE *got)
{
    char path[512];
    snprintf(path, sizeof path, "%s/witness-blocks-%u.txt", folder, partition);
    if (access(path, R_OK) == 0) /* not every partition has block digests */
        assert_same_text(got, path);
}

/* A request folder with its witness.txt, partition after partition. */
static inline void check_witness_folder(const char *folder)
{
    char path[512], want[1024], got[1024], inputs[65], aux[65];
    proof_request *req = NULL;
    cuzk_err err = {0};
    if (cuzk_request_load(&req, folder, &err) != CUZK_OK)
        fail_msg("%s: %s", folder, err.msg);
    snprintf(path, sizeof path, "%s/witness.txt", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (unsigned k = 0; k < req->n_partitions && fgets(want, sizeof want, f); k++) {
        FILE *blocks = tmpfile();
        assert_non_null(blocks);
        witness_summary w = summarize_witness(req, k, blocks);
        cuzk_hex_encode(inputs, w.inputs_sha256, 32);
        cuzk_hex_encode(aux, w.aux_sha256, 32);
        snprintf(got, sizeof got,
                 "partition %u: inputs %llu aux %llu rows %llu zero-or-one %llu %s "
                 "inputs-sha256 %s aux-sha256 %s\n",
                 k, (unsigned long long)w.n_inputs, (unsigned long long)w.n_aux,
                 (unsigned long long)w.n_rows, (unsigned long long)w.zero_or_one,
                 w.satisfied ? "satisfied" : "unsatisfied", inputs, aux);
        assert_string_equal(got, want);
        check_witness_blocks(folder, k, blocks);
        fclose(blocks);
    }
    fclose(f);
    cuzk_request_free(req);
}

/* ---- made-up requests: prf(tag; a, b, ..) = trunc254(SHA-256(tag | a | b ..)) ---- */

static inline void prf(fr *out, const char *tag, const uint64_t arg[], unsigned n_args)
{
    uint8_t message[64], digest[32];
    size_t n = strlen(tag);
    memcpy(message, tag, n);
    for (unsigned i = 0; i < 8 * n_args; i++)
        message[n++] = (uint8_t)(arg[i / 8] >> (8 * (i % 8)));
    cuzk_sha256(digest, message, n);
    digest[31] &= 0x3f;
    assert_true(cuzk_fr_from_bytes(out, digest));
}

static inline fr prf1(const char *tag, uint64_t a)
{
    fr x;
    prf(&x, tag, &a, 1);
    return x;
}

static inline fr prf2(const char *tag, uint64_t a, uint64_t b)
{
    fr x;
    prf(&x, tag, (const uint64_t[]){a, b}, 2);
    return x;
}

/* A whole tree, row by row; arity 2 nodes are SHA-256 or Poseidon. */
typedef struct {
    unsigned n_levels;
    uint8_t arity[MAX_TREE_LEVELS];
    fr *row[MAX_TREE_LEVELS + 1];
    bool sha256;
} tree;

static inline fr tree_node(const tree *t, const fr child[], unsigned arity)
{
    fr out;
    uint8_t bytes[64], digest[32];
    if (!t->sha256) {
        cuzk_poseidon_hash(&out, cuzk_poseidon_kind_of_arity(arity), child);
        return out;
    }
    cuzk_fr_to_bytes(bytes, &child[0]);
    cuzk_fr_to_bytes(bytes + 32, &child[1]);
    cuzk_sha256(digest, bytes, 64);
    digest[31] &= 0x3f;
    assert_true(cuzk_fr_from_bytes(&out, digest));
    return out;
}

/* t->arity and t->row[0] (n leaves) are set; all rows live in the arena. */
static inline void tree_build(tree *t, cuzk_arena *arena, size_t n)
{
    for (unsigned l = 0; l < t->n_levels; l++) {
        unsigned a = t->arity[l];
        t->row[l + 1] = CUZK_ARENA_NEW(arena, fr, n / a);
        assert_non_null(t->row[l + 1]);
        for (size_t i = 0; i < n / a; i++)
            t->row[l + 1][i] = tree_node(t, &t->row[l][i * a], a);
        n /= a;
    }
    assert_int_equal(n, 1);
}

static inline void tree_init(tree *t, const sector_shape *s, bool sha256, cuzk_arena *arena)
{
    memset(t, 0, sizeof *t);
    t->sha256 = sha256;
    t->n_levels = sha256 ? s->lg_nodes : cuzk_shape_tree_arities(s, t->arity);
    if (sha256)
        memset(t->arity, 2, s->lg_nodes);
    t->row[0] = CUZK_ARENA_NEW(arena, fr, (size_t)1 << s->lg_nodes);
    assert_non_null(t->row[0]);
}

static inline fr tree_root(const tree *t)
{
    return t->row[t->n_levels][0];
}

static inline merkle_proof tree_prove(const tree *t, cuzk_arena *arena, uint64_t i)
{
    merkle_proof p = {.leaf = t->row[0][i], .root = tree_root(t), .n_levels = t->n_levels};
    fr *sibling = CUZK_ARENA_NEW(arena, fr, 8 * t->n_levels);
    assert_non_null(sibling);
    p.sibling = sibling;
    for (unsigned l = 0; l < t->n_levels; l++) {
        unsigned a = t->arity[l];
        p.arity[l] = (uint8_t)a;
        p.index[l] = (uint8_t)(i % a);
        for (unsigned k = 0; k < a; k++) {
            if (k != i % a)
                *sibling++ = t->row[l][i / a * a + k];
        }
        i /= a;
    }
    return p;
}

static inline fr poseidon_pair(poseidon_kind kind, fr a, fr b)
{
    fr in[2] = {a, b}, out;
    cuzk_poseidon_hash(&out, kind, in);
    return out;
}

static inline void request_init(proof_request *req, cuzk_kind kind, const sector_shape *s)
{
    memset(req, 0, sizeof *req);
    req->kind = kind;
    req->shape = s;
    req->n_partitions = 1;
    cuzk_arena_init(&req->arena, (size_t)1 << 30);
}

/* Note 1: sectors 1 and 2, randomness 0x03.., challenge numbers 0..9 for both. */
static inline void window_request(proof_request *req, const sector_shape *s)
{
    tree t;
    request_init(req, CUZK_KIND_WINDOW, s);
    memset(req->randomness, 3, 32);
    req->n_sectors = 2;
    req->sector = CUZK_ARENA_NEW(&req->arena, post_sector, 2);
    for (unsigned k = 0; k < 2; k++) {
        post_sector *sector = &req->sector[k];
        sector->sector_id = k + 1;
        tree_init(&t, s, false, &req->arena);
        for (uint64_t i = 0; i < (uint64_t)1 << s->lg_nodes; i++)
            t.row[0][i] = prf2("leaf", k + 1, i);
        tree_build(&t, &req->arena, (size_t)1 << s->lg_nodes);
        sector->comm_c = prf1("commc", k + 1);
        sector->comm_r_last = tree_root(&t);
        sector->comm_r = poseidon_pair(POSEIDON_2, sector->comm_c, sector->comm_r_last);
        sector->n_proofs = WINDOW_CHALLENGES;
        sector->proof = CUZK_ARENA_NEW(&req->arena, merkle_proof, WINDOW_CHALLENGES);
        for (unsigned x = 0; x < WINDOW_CHALLENGES; x++) {
            uint64_t leaf = cuzk_post_challenge(req->randomness, k + 1, x, s->lg_nodes);
            sector->proof[x] = tree_prove(&t, &req->arena, leaf);
        }
    }
}

/* circuits.md 7.1: challenge number i of partition k. */
static inline uint64_t update_challenge_node(const proof_request *req, unsigned k, unsigned i)
{
    const sector_shape *s = req->shape;
    unsigned lg = s->lg_nodes - cuzk_lg_ceil(s->update_partitions), per_digest = 254 / lg;
    unsigned n_digests = (s->update_challenges + per_digest - 1) / per_digest;
    uint64_t v = 0;
    fr index;
    fr_canon bits;
    cuzk_fr_from_u64(&index, k * n_digests + i / per_digest);
    index = poseidon_pair(POSEIDON_2_GEN, req->comm_r_new, index);
    cuzk_fr_to_canon(&bits, &index);
    for (unsigned b = 0; b < lg; b++) {
        unsigned at = i % per_digest * lg + b;
        v |= (bits.l[at / 64] >> (at % 64) & 1) << b;
    }
    return v | (uint64_t)k << lg;
}

/* Note 2. The request has all partitions, of which only number k is filled. */
static inline void update_request(proof_request *req, const sector_shape *s, unsigned k)
{
    tree old, data, fresh;
    size_t n = (size_t)1 << s->lg_nodes;
    unsigned h = s->update_h[s->update_h_select];
    request_init(req, CUZK_KIND_UPDATE, s);
    req->n_partitions = s->update_partitions;
    tree_init(&old, s, false, &req->arena);
    tree_init(&fresh, s, false, &req->arena);
    tree_init(&data, s, true, &req->arena);
    for (size_t i = 0; i < n; i++) {
        old.row[0][i] = prf2("leaf", 1, i);
        data.row[0][i] = prf2("dnew", 0, i);
    }
    tree_build(&old, &req->arena, n);
    tree_build(&data, &req->arena, n);
    fr comm_c = prf1("commc", 1);
    req->comm_r_old = poseidon_pair(POSEIDON_2, comm_c, tree_root(&old));
    req->comm_d_new = tree_root(&data);
    fr phi = poseidon_pair(POSEIDON_2_GEN, req->comm_d_new, req->comm_r_old);
    for (size_t i = 0; i < n; i++) {
        fr high;
        cuzk_fr_from_u64(&high, i >> (s->lg_nodes - h));
        fr rho = poseidon_pair(POSEIDON_2_GEN, phi, high);
        fr_mul(&rho, &rho, &data.row[0][i]);
        fr_add(&fresh.row[0][i], &old.row[0][i], &rho);
    }
    tree_build(&fresh, &req->arena, n);
    req->comm_r_new = poseidon_pair(POSEIDON_2, comm_c, tree_root(&fresh));

    req->update = CUZK_ARENA_NEW(&req->arena, update_partition, s->update_partitions);
    update_partition *p = &req->update[k];
    unsigned apex_row =
        s->lg_nodes - cuzk_lg_ceil(s->update_partitions) - cuzk_lg_ceil(s->update_apex_leaves);
    p->comm_c = comm_c;
    p->n_apex_leaves = s->update_apex_leaves;
    p->apex_leaf = data.row[apex_row] + (size_t)k * s->update_apex_leaves;
    p->n_challenges = s->update_challenges;
    p->challenge = CUZK_ARENA_NEW(&req->arena, update_challenge, p->n_challenges);
    for (unsigned i = 0; i < p->n_challenges; i++) {
        uint64_t c = update_challenge_node(req, k, i);
        p->challenge[i].r_old = tree_prove(&old, &req->arena, c);
        p->challenge[i].d_new = tree_prove(&data, &req->arena, c);
        p->challenge[i].r_new = tree_prove(&fresh, &req->arena, c);
    }
}

static inline void request_fini(proof_request *req)
{
    cuzk_arena_fini(&req->arena);
}

#endif
