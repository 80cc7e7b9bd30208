/* Damaged vanilla proofs (CASES A11, A20, A21, A23): every part that is read is changed once, and
 * the check must refuse with words that name it. Fixtures: tests/data, real seals of 2 KiB sectors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "filecoin/request.h"

/* Parsed proofs are constant to everybody but their owner, which is this test. */
static void spoil(const fr *x)
{
    fr *writable = (fr *)(uintptr_t)x;
    fr_add(writable, writable, &cuzk_fr_one);
}

static proof_request *load(const char *folder)
{
    proof_request *req = NULL;
    cuzk_err err;
    if (cuzk_request_load(&req, folder, &err) != CUZK_OK)
        fail_msg("%s", err.msg);
    return req;
}

typedef struct {
    void (*damage)(proof_request *req);
    const char *says;
} damage_row;

static void check_damages(const char *folder, const damage_row row[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cuzk_err err = {0};
        proof_request *req = load(folder);
        row[i].damage(req);
        cuzk_status st = cuzk_request_check(req, &err);
        if (st != CUZK_UNSATISFIED || !strstr(err.msg, row[i].says))
            fail_msg("row %zu wants '%s': %s: %s", i, row[i].says, cuzk_status_name(st), err.msg);
        cuzk_request_free(req);
    }
}

#define DAMAGE(name, statement)                                                                    \
    static void name(proof_request *req)                                                           \
    {                                                                                              \
        statement;                                                                                 \
    }

/* ---- PoRep --------------------------------------------------------------------------------- */

#define P(i) req->porep[0].proof[i]
DAMAGE(d_leaf, spoil(&P(0).comm_d.leaf))
DAMAGE(d_sibling, spoil(&P(1).comm_d.sibling[5]))
DAMAGE(d_index, P(0).comm_d.index[2] ^= 1)
DAMAGE(d_root, spoil(&P(0).comm_d.root))
DAMAGE(r_leaf, spoil(&P(0).comm_r_last.leaf))
DAMAGE(r_sibling, spoil(&P(1).comm_r_last.sibling[13]))
DAMAGE(r_index, P(0).comm_r_last.index[1] ^= 4)
DAMAGE(r_root, spoil(&P(0).comm_r_last.root))
DAMAGE(r_root_1, spoil(&P(1).comm_r_last.root))
DAMAGE(c_root, spoil(&P(0).c_x.inclusion.root))
DAMAGE(c_root_1, spoil(&P(1).c_x.inclusion.root))
DAMAGE(c_leaf, spoil(&P(0).c_x.inclusion.leaf))
DAMAGE(c_sibling, spoil(&P(0).c_x.inclusion.sibling[0]))
DAMAGE(c_row, spoil(&P(0).c_x.rows[1]))
DAMAGE(drg_row, spoil(&P(0).drg[5].rows[0]))
DAMAGE(drg_sibling, spoil(&P(0).drg[0].inclusion.sibling[7]))
DAMAGE(exp_row, spoil(&P(1).exp[7].rows[1]))
DAMAGE(exp_leaf, spoil(&P(1).exp[3].inclusion.leaf))
DAMAGE(exp_index, P(1).exp[3].inclusion.index[0] ^= 1)
DAMAGE(exp_root, spoil(&P(1).exp[0].inclusion.root))
DAMAGE(label_parent, spoil(&P(0).labeling[1].parents[36]))
DAMAGE(label_node, P(0).labeling[0].node++)
DAMAGE(label_layer, P(0).labeling[1].layer_index = 1)
DAMAGE(encoding_parent, spoil(&P(1).encoding.parents[0]))
DAMAGE(encoding_node, P(1).encoding.node ^= (uint64_t)1 << 40)
DAMAGE(comm_r, spoil(&req->comm_r))
DAMAGE(comm_d, spoil(&req->comm_d))
DAMAGE(replica_id, spoil(&req->replica_id))
DAMAGE(seed, req->seed[7] ^= 1)
DAMAGE(ticket, req->ticket[31] ^= 128)
DAMAGE(sector_number, req->sector_number = 2)
DAMAGE(miner, req->prover_id[0] ^= 1)

static void swap_challenges(proof_request *req)
{
    porep_proof t = P(0);
    P(0) = P(1);
    P(1) = t;
}

static void swap_parents(proof_request *req)
{
    column_proof t = P(0).drg[0];
    P(0).drg[0] = P(0).drg[1];
    P(0).drg[1] = t;
}

static void porep_damage(void **state)
{
    (void)state;
    static const damage_row row[] = {
        {d_leaf,
         "sector 1: partition 0: challenge 0 (node 28): comm_d_proofs: the path does not lead"},
        {d_sibling, "challenge 1 (node 27): comm_d_proofs: the path does not lead from the leaf"},
        {d_index, "comm_d_proofs: the path belongs to node 24, expected 28"},
        {d_root, "comm_d_proofs: the stored root is not comm_d"},
        {r_leaf, "challenge 0 (node 28): comm_r_last_proof: the path does not lead"},
        {r_sibling, "challenge 1 (node 27): comm_r_last_proof: the path does not lead"},
        {r_index, "comm_r_last_proof: the path belongs to node 60, expected 28"},
        {r_root, "partition 0: comm_r is not the hash of comm_c and comm_r_last"},
        {r_root_1, "comm_r_last_proof: the stored root is not comm_r_last of the partition"},
        {c_root, "comm_r is not the hash of comm_c and comm_r_last"},
        {c_root_1, "challenge 1 (node 27): c_x: the stored root is not comm_c"},
        {c_leaf, "c_x: the path does not lead from the leaf"},
        {c_sibling, "c_x: the path does not lead from the leaf"},
        {c_row, "c_x: the hash of the column rows is not the leaf"},
        {drg_row, "drg_parents[5]: the hash of the column rows is not the leaf"},
        {drg_sibling, "drg_parents[0]: the path does not lead from the leaf"},
        {exp_row, "challenge 1 (node 27): exp_parents[7]: the hash of the column rows"},
        {exp_leaf, "exp_parents[3]: the path does not lead from the leaf"},
        {exp_index, "exp_parents[3]: the path belongs to node"},
        {exp_root, "exp_parents[0]: the stored root is not comm_c"},
        {label_parent, "labeling_proofs[1]: parents[36] is not the label in the opened column"},
        {label_node, "labeling_proofs[0]: node is 29, expected 28"},
        {label_layer, "labeling_proofs[1]: layer_index is 1, expected 2"},
        {encoding_parent, "encoding_proof: parents[0] is not the label"},
        {encoding_node, "encoding_proof: node is 1099511627803, expected 27"},
        {comm_r, "comm_r is not the hash"},
        {comm_d, "replica_id of the C1 is not that of miner 1000, sector 1"},
        {replica_id, "replica_id of the C1 is not that of"},
        {seed, "comm_d_proofs: the path belongs to node"},
        {ticket, "replica_id of the C1 is not that of"},
        {sector_number, "replica_id of the C1 is not that of miner 1000, sector 2"},
        {miner, "replica_id of the C1 is not that of"},
        {swap_challenges, "comm_d_proofs: the path belongs to node 27, expected 28"},
        {swap_parents, "drg_parents[0]: the path belongs to node"},
    };
    check_damages("tests/data/porep-2k-a", row, sizeof row / sizeof row[0]);
}

/* Nothing may rely on column.index: the established verifier passes over it. */
static void column_index_is_free(void **state)
{
    (void)state;
    proof_request *req = load("tests/data/porep-2k-a");
    P(0).c_x.index += 5;
    P(1).drg[2].index = 0;
    assert_int_equal(cuzk_request_check(req, NULL), CUZK_OK);
    cuzk_request_free(req);
}

/* ---- PoSt ---------------------------------------------------------------------------------- */

#define S(i) req->sector[i]
DAMAGE(w_leaf, spoil(&S(1).proof[3].leaf))
DAMAGE(w_sibling, spoil(&S(2).proof[9].sibling[13]))
DAMAGE(w_index, S(0).proof[0].index[0] ^= 1)
DAMAGE(w_root, spoil(&S(1).proof[4].root))
DAMAGE(w_comm_c, spoil(&S(1).comm_c))
DAMAGE(w_comm_r, spoil(&S(1).comm_r))
DAMAGE(w_comm_r_last, spoil(&S(1).comm_r_last))
DAMAGE(w_id, S(2).sector_id++)
DAMAGE(w_randomness, req->randomness[0] ^= 1)
DAMAGE(w_partition, req->partition_index = 1)
DAMAGE(w_two, spoil(&S(0).comm_c); spoil(&S(2).comm_c))

static void window_damage(void **state)
{
    (void)state;
    static const damage_row row[] = {
        {w_leaf, "sector 13: challenge 3: inclusion proof: the path does not lead from the leaf to "
                 "the root; faulty_sectors=[13] (1 of 3)"},
        {w_sibling, "sector 16: challenge 9: inclusion proof: the path does not lead"},
        {w_index,
         "sector 10: challenge 0: inclusion proof: the path belongs to node 53, expected 52"},
        {w_root, "sector 13: challenge 4: inclusion proof: the stored root is not comm_r_last"},
        {w_comm_c, "sector 13: comm_r is not the hash of comm_c and comm_r_last"},
        {w_comm_r, "sector 13: comm_r is not the hash"},
        {w_comm_r_last, "sector 13: comm_r is not the hash"},
        {w_id, "sector 17: challenge 0: inclusion proof: the path belongs to node"},
        {w_randomness, "faulty_sectors=[10,13,16] (3 of 3)"},
        {w_partition, "faulty_sectors=[10,13,16] (3 of 3)"}, /* V1: the index counts */
        {w_two, "sector 10: comm_r is not the hash of comm_c and comm_r_last; "
                "faulty_sectors=[10,16] (2 of 3)"},
    };
    check_damages("tests/data/window-2k-3-v1", row, sizeof row / sizeof row[0]);
    proof_request *req = load("tests/data/window-2k-3-v1");
    uint64_t id[2] = {0};
    w_randomness(req);
    assert_int_equal(cuzk_request_faulty_sectors(id, 2, req), 3);
    assert_true(id[0] == 10 && id[1] == 13);
    cuzk_request_free(req);
}

DAMAGE(winning_last, spoil(&S(0).proof[65].sibling[2]))
DAMAGE(winning_order, merkle_proof t = S(0).proof[1]; S(0).proof[1] = S(0).proof[2];
       S(0).proof[2] = t)

static void winning_damage(void **state)
{
    (void)state;
    static const damage_row row[] = {
        {winning_last, "sector 1: challenge 65: inclusion proof: the path does not lead"},
        {winning_order, "sector 1: challenge 1: inclusion proof: the path belongs to node 60"},
    };
    check_damages("tests/data/winning-2k", row, sizeof row / sizeof row[0]);
}

/* ---- update -------------------------------------------------------------------------------- */

#define U req->update[0]
DAMAGE(u_old_leaf, spoil(&U.challenge[1].r_old.leaf))
DAMAGE(u_old_root, spoil(&U.challenge[0].r_old.root))
DAMAGE(u_old_root_1, spoil(&U.challenge[1].r_old.root))
DAMAGE(u_new_leaf, spoil(&U.challenge[9].r_new.leaf))
DAMAGE(u_new_root, spoil(&U.challenge[0].r_new.root))
DAMAGE(u_new_sibling, spoil(&U.challenge[2].r_new.sibling[0]))
DAMAGE(u_d_leaf, spoil(&U.challenge[4].d_new.leaf))
DAMAGE(u_d_sibling, spoil(&U.challenge[4].d_new.sibling[0]))
DAMAGE(u_d_upper, spoil(&U.challenge[4].d_new.sibling[5]))
DAMAGE(u_d_index, U.challenge[4].d_new.index[3] ^= 1)
DAMAGE(u_d_root, spoil(&U.challenge[3].d_new.root))
DAMAGE(u_apex, for (size_t i = 0; i < 8; i++) spoil(&U.apex_leaf[i]))
DAMAGE(u_comm_c, spoil(&U.comm_c))
DAMAGE(u_comm_r_old, spoil(&req->comm_r_old))
DAMAGE(u_comm_r_new, spoil(&req->comm_r_new))
DAMAGE(u_comm_d_new, spoil(&req->comm_d_new))

static void update_damage(void **state)
{
    (void)state;
    static const damage_row row[] = {
        {u_old_leaf, "sector 1: partition 0: challenge 1 (node "},
        {u_old_leaf, "proof_r_old: the path does not lead from the leaf"},
        {u_old_root, "comm_r_old is not the hash of comm_c and the root of proof_r_old"},
        {u_old_root_1, "proof_r_old: the stored root is not that of the first challenge"},
        {u_new_leaf, "proof_r_new: the path does not lead"},
        {u_new_root, "comm_r_new is not the hash of comm_c and the root of proof_r_new"},
        {u_new_sibling, "proof_r_new: the path does not lead"},
        {u_d_leaf, "proof_d_new: the path does not lead"},
        {u_d_sibling, "proof_d_new: the path does not lead"},
        {u_d_upper, "proof_d_new: the path does not lead"},
        {u_d_index, "proof_d_new: the path belongs to node"},
        {u_d_root, "proof_d_new: the stored root is not comm_d_new"},
        {u_apex, "proof_d_new: the path does not pass through apex leaf"},
        {u_comm_c, "comm_r_old is not the hash"},
        {u_comm_r_old, "comm_r_old is not the hash"},
        {u_comm_r_new, "comm_r_new is not the hash"},
        {u_comm_d_new, "proof_d_new: the stored root is not comm_d_new"},
    };
    check_damages("tests/data/update-2k", row, sizeof row / sizeof row[0]);
}

/* A leaf of the apex tree that no challenge needs still has to be right: the circuit hashes all. */
static void update_apex_leaves(void **state)
{
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        cuzk_err err;
        proof_request *req = load("tests/data/update-2k");
        spoil(&U.apex_leaf[i]);
        assert_int_equal(cuzk_request_check(req, &err), CUZK_UNSATISFIED);
        assert_non_null(strstr(err.msg, "apex lea"));
        cuzk_request_free(req);
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

static void same_message_for_any_pool(void **state)
{
    (void)state;
    cuzk_pool *pool;
    cuzk_err alone, together;
    assert_int_equal(cuzk_pool_new(&pool, 3, "check", NULL), CUZK_OK);
    proof_request *req = load("tests/data/window-2k-3-v1");
    assert_int_equal(cuzk_request_check_on(pool, req, &together), CUZK_OK);
    w_two(req);
    assert_int_equal(cuzk_request_check(req, &alone), CUZK_UNSATISFIED);
    assert_int_equal(cuzk_request_check_on(pool, req, &together), CUZK_UNSATISFIED);
    assert_string_equal(alone.msg, together.msg);
    assert_int_equal(cuzk_request_check_on(pool, req, NULL), CUZK_UNSATISFIED);
    cuzk_request_free(req);
    cuzk_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(porep_damage),
        cmocka_unit_test(column_index_is_free),
        cmocka_unit_test(window_damage),
        cmocka_unit_test(winning_damage),
        cmocka_unit_test(update_damage),
        cmocka_unit_test(update_apex_leaves),
        cmocka_unit_test(same_message_for_any_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
