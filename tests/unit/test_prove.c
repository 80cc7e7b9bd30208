/* Setup, prover and verifier on small circuits, against discrete logarithms computed naively. */
#include "unit/small_circuits.h"

static const circuit_values blank = {0, 0, false};
static groth16_secrets secrets;

static int make_secrets(void **state)
{
    secrets.alpha = number(1000003);
    secrets.beta = number(2000003);
    secrets.gamma = number(3000017);
    secrets.delta = number(4000037);
    secrets.tau = number(5000011);
    fr_sqr(&secrets.tau, &secrets.tau);
    fr_sqr(&secrets.tau, &secrets.tau);
    return test_dir_make(state);
}

static void set_up(groth16_srs *srs, const small_circuit *s)
{
    const cs_circuit circuit = {s->synthesize, &blank};
    cuzk_err err = {0};
    cuzk_status st = cuzk_groth16_setup(&circuit, &secrets, test_path("p.params"),
                                        test_path("p.vk"), NULL, NULL, &err);
    if (st != CUZK_OK)
        fail_msg("%s: setup: %s", s->name, err.msg);
    st = cuzk_srs_read(srs, test_path("p.params"), NULL, &err);
    if (st != CUZK_OK)
        fail_msg("%s: %s", s->name, err.msg);
}

static void prove_ok(groth16_proof *out, const small_circuit *s, const groth16_srs *srs,
                     const groth16_prove_options *opt)
{
    const cs_circuit circuit = {s->synthesize, &s->values};
    cuzk_err err = {0};
    if (cuzk_groth16_prove(out, &circuit, srs, opt, &err) != CUZK_OK)
        fail_msg("%s: prove: %s", s->name, err.msg);
}

static compiled_circuit *compile(const small_circuit *s)
{
    const cs_circuit circuit = {s->synthesize, &blank};
    compiled_circuit *k = NULL;
    assert_int_equal(cuzk_compile(&k, &circuit, NULL), CUZK_OK);
    return k;
}

/* ---- naive QAP ---- */

static unsigned domain_lg(const recording *r)
{
    unsigned lg = 0;
    while ((size_t)1 << lg < r->n_rows)
        lg++;
    return lg;
}

/* Product formula: L_i(tau) = prod_{k != i} (tau - w^k) / (w^i - w^k). */
static fr lagrange_at(unsigned lg, size_t i)
{
    fr w = cuzk_fr_root_of_unity, wi, wk = cuzk_fr_one, num = cuzk_fr_one, den = cuzk_fr_one, t;
    for (unsigned k = lg; k < FR_TWO_ADICITY; k++)
        fr_sqr(&w, &w);
    cuzk_fr_pow_u64(&wi, &w, i);
    for (size_t k = 0; k < (size_t)1 << lg; k++, fr_mul(&wk, &wk, &w)) {
        if (k == i)
            continue;
        fr_sub(&t, &secrets.tau, &wk);
        fr_mul(&num, &num, &t);
        fr_sub(&t, &wi, &wk);
        fr_mul(&den, &den, &t);
    }
    cuzk_fr_inv_vartime(&den, &den);
    fr_mul(&num, &num, &den);
    return num;
}

typedef struct {
    fr a, b, c; /* A(tau), B(tau), C(tau) with the witness */
    fr l;       /* sum over aux of z (beta u + alpha v + w) */
} qap_values;

static void add_product(fr *sum, const fr *x, const fr *y)
{
    fr t;
    fr_mul(&t, x, y);
    fr_add(sum, sum, &t);
}

static qap_values evaluate_qap(const recording *r)
{
    qap_values q = {{{0}}, {{0}}, {{0}}, {{0}}};
    for (size_t i = 0; i < r->n_rows; i++) {
        fr l = lagrange_at(domain_lg(r), i), row[3][2] = {0}, t;
        for (int k = 0; k < 3; k++) {
            for (size_t j = 0; j < r->n_inputs; j++)
                add_product(&row[k][0], &r->m[k][i][0][j], &r->input[j]);
            for (size_t j = 0; j < r->n_aux; j++)
                add_product(&row[k][1], &r->m[k][i][1][j], &r->aux[j]);
        }
        fr *sum[3] = {&q.a, &q.b, &q.c};
        for (int k = 0; k < 3; k++) {
            fr_add(&t, &row[k][0], &row[k][1]);
            add_product(sum[k], &t, &l);
        }
        fr_mul(&t, &row[0][1], &secrets.beta);
        add_product(&t, &row[1][1], &secrets.alpha);
        fr_add(&t, &t, &row[2][1]);
        add_product(&q.l, &t, &l);
    }
    return q;
}

static void expect_g1(const g1_affine *got, const fr *k)
{
    g1_jac p, q;
    fr_canon c;
    cuzk_fr_to_canon(&c, k);
    cuzk_g1_from_affine(&p, &cuzk_g1_generator);
    cuzk_g1_mul(&p, &p, &c);
    cuzk_g1_from_affine(&q, got);
    if (g1_affine_is_identity(got))
        cuzk_g1_set_identity(&q);
    assert_true(cuzk_g1_eq(&p, &q));
}

static void expect_g2(const g2_affine *got, const fr *k)
{
    g2_jac p, q;
    fr_canon c;
    cuzk_fr_to_canon(&c, k);
    cuzk_g2_from_affine(&p, &cuzk_g2_generator);
    cuzk_g2_mul(&p, &p, &c);
    cuzk_g2_from_affine(&q, got);
    assert_true(cuzk_g2_eq(&p, &q));
}

/* gadgets.md 1.7 with logarithms in the place of points. */
static void expect_proof(const groth16_proof *proof, const recording *rec, const fr *r, const fr *s)
{
    qap_values q = evaluate_qap(rec);
    fr a = secrets.alpha, b = secrets.beta, c, t;
    fr_add(&a, &a, &q.a);
    add_product(&a, r, &secrets.delta);
    fr_add(&b, &b, &q.b);
    add_product(&b, s, &secrets.delta);
    fr_mul(&c, &q.a, &q.b); /* h(tau) t(tau) = A B - C */
    fr_sub(&c, &c, &q.c);
    fr_add(&c, &c, &q.l);
    cuzk_fr_inv_vartime(&t, &secrets.delta);
    fr_mul(&c, &c, &t);
    add_product(&c, s, &a);
    add_product(&c, r, &b);
    fr_mul(&t, r, s);
    fr_neg(&t, &t);
    add_product(&c, &t, &secrets.delta);
    expect_g1(&proof->a, &a);
    expect_g2(&proof->b, &b);
    expect_g1(&proof->c, &c);
}

static cuzk_status verify(const groth16_srs *srs, const groth16_proof *p, const recording *rec)
{
    return cuzk_groth16_verify(&srs->vk, p, rec->input + 1, rec->n_inputs - 1, NULL);
}

/* ---- tests ---- */

static void proofs_equal_their_logarithms(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(small_circuits); i++) {
        const small_circuit *s = &small_circuits[i];
        const fr zero = {{0}}, r = number(77777), q = number(99991);
        const fr *pairs[][2] = {{&zero, &zero}, {&r, &q}, {&r, &r}, {&zero, &q}};
        groth16_srs srs;
        recording *rec = record(s);
        compiled_circuit *compiled = compile(s);
        set_up(&srs, s);
        for (size_t k = 0; k < 2 * CUZK_ARRAY_LEN(pairs); k++) {
            groth16_prove_options opt = {.r = pairs[k / 2][0], .s = pairs[k / 2][1]};
            if (k % 2)
                opt.compiled = compiled;
            else
                opt.check_witness = k % 4 == 0;
            groth16_proof proof;
            prove_ok(&proof, s, &srs, &opt);
            expect_proof(&proof, rec, opt.r, opt.s);
            /* F19: with r = s = 0 and a zero witness C is the identity, which no verifier takes */
            bool degenerate = g1_affine_is_identity(&proof.c);
            assert_int_equal(verify(&srs, &proof, rec), degenerate ? CUZK_REJECTED : CUZK_OK);
        }
        cuzk_srs_fini(&srs);
        cuzk_compiled_free(compiled);
        cuzk_free(rec);
    }
}

static void random_proofs_differ_and_verify(void **state)
{
    (void)state;
    for (size_t i = 0; i < CUZK_ARRAY_LEN(small_circuits); i++) {
        const small_circuit *s = &small_circuits[i];
        const groth16_prove_options opt = {.check_witness = true};
        groth16_proof proof[2];
        groth16_srs srs;
        recording *rec = record(s);
        const fr *inputs[2] = {rec->input + 1, rec->input + 1};
        set_up(&srs, s);
        for (int k = 0; k < 2; k++) {
            prove_ok(&proof[k], s, &srs, &opt);
            if (verify(&srs, &proof[k], rec) != CUZK_OK)
                fail_msg("%s: proof %d does not verify", s->name, k);
        }
        assert_memory_not_equal(&proof[0], &proof[1], sizeof proof[0]);
        size_t n = rec->n_inputs - 1;
        assert_int_equal(cuzk_groth16_verify_batch(&srs.vk, proof, inputs, n, 2, NULL), CUZK_OK);
        for (size_t j = 1; j <= n; j++) { /* each public input matters */
            fr_add(&rec->input[j], &rec->input[j], &cuzk_fr_one);
            assert_int_equal(verify(&srs, &proof[0], rec), CUZK_REJECTED);
            fr_sub(&rec->input[j], &rec->input[j], &cuzk_fr_one);
        }
        cuzk_srs_fini(&srs);
        cuzk_free(rec);
    }
}

/* The generator's other path (fixed-base tables) and a domain of 1024. */
static void long_chain(void **state)
{
    (void)state;
    const small_circuit s = {"long chain", long_chain_circuit, {3, 0, false}};
    const groth16_prove_options opt = {.check_witness = true};
    groth16_srs srs;
    groth16_proof proof;
    fr out = number(3);
    for (int i = 0; i < 600; i++)
        fr_sqr(&out, &out);
    set_up(&srs, &s);
    prove_ok(&proof, &s, &srs, &opt);
    assert_int_equal(cuzk_groth16_verify(&srs.vk, &proof, &out, 1, NULL), CUZK_OK);
    fr_add(&out, &out, &cuzk_fr_one);
    assert_int_equal(cuzk_groth16_verify(&srs.vk, &proof, &out, 1, NULL), CUZK_REJECTED);
    cuzk_srs_fini(&srs);
}

/* Density and section sizes as gadgets.md 1.5 and 1.6 define them, for the circuit with traps. */
static void sections_have_the_right_points(void **state)
{
    (void)state;
    const small_circuit *s = &small_circuits[7];
    groth16_srs srs;
    recording *rec = record(s);
    set_up(&srs, s);
    size_t n_a = rec->n_inputs, n_b = 0;
    for (int kind = 0; kind < 2; kind++)
        for (size_t j = 0; j < (kind ? rec->n_aux : rec->n_inputs); j++) {
            bool in_a = false, in_b = false;
            for (size_t i = 0; i < rec->n_rows; i++) {
                in_a |= !fr_is_zero(&rec->m[0][i][kind][j]);
                in_b |= !fr_is_zero(&rec->m[1][i][kind][j]);
            }
            n_a += kind == 1 && in_a;
            n_b += in_b;
        }
    assert_int_equal(srs.n_a, n_a);
    assert_int_equal(srs.n_b, n_b);
    assert_int_equal(srs.n_l, rec->n_aux);
    assert_int_equal(srs.vk.n_ic, rec->n_inputs);
    assert_int_equal(srs.n_h, ((size_t)1 << domain_lg(rec)) - 1);
    assert_true(n_a < rec->n_inputs + rec->n_aux); /* the square is in C alone */
    cuzk_srs_fini(&srs);
    cuzk_free(rec);
    assert_int_equal(cuzk_params_check(test_path("p.params"), NULL, NULL), CUZK_OK);
}

/* F18 */
static void unsatisfied_witness_is_named(void **state)
{
    (void)state;
    small_circuit s = small_circuits[7];
    groth16_srs srs;
    groth16_proof proof;
    cuzk_err err = {0};
    set_up(&srs, &s);
    s.values.bad = true;
    recording *rec = record(&s);
    const cs_circuit circuit = {s.synthesize, &s.values};
    groth16_prove_options opt = {.check_witness = true};
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_UNSATISFIED);
    assert_non_null(strstr(err.msg, "row 5 "));
    opt.check_witness = false;
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_OK);
    assert_int_equal(verify(&srs, &proof, rec), CUZK_REJECTED);
    compiled_circuit *compiled = compile(&s);
    opt.compiled = compiled;
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_OK);
    assert_int_equal(verify(&srs, &proof, rec), CUZK_REJECTED);
    opt.check_witness = true; /* interpreted after all */
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_UNSATISFIED);
    cuzk_compiled_free(compiled);
    cuzk_srs_fini(&srs);
    cuzk_free(rec);
}

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    const struct {
        size_t params, circuit;
        const char *part;
    } cases[] = {
        {0, 7, "section vk (ic)"}, /* more of everything */
        {7, 0, "section vk (ic)"}, /* less of everything */
        {6, 0, "aux variables 2 here, 0 points"},
        {0, 6, "aux variables 0 here, 2 points"},
        {10, 0, "aux variables 2 here, 40 points"},
    };
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++) {
        const small_circuit *s = &small_circuits[cases[i].circuit];
        const cs_circuit circuit = {s->synthesize, &s->values};
        const groth16_prove_options opt = {0};
        groth16_srs srs;
        groth16_proof proof;
        cuzk_err err = {0};
        set_up(&srs, &small_circuits[cases[i].params]);
        uint64_t before = cuzk_mem_used();
        assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_PARAMS);
        if (!strstr(err.msg, cases[i].part))
            fail_msg("case %zu: %s", i, err.msg);
        compiled_circuit *compiled = compile(s);
        const groth16_prove_options fast = {.compiled = compiled};
        err = (cuzk_err){0};
        assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &fast, &err), CUZK_PARAMS);
        if (!strstr(err.msg, cases[i].part))
            fail_msg("case %zu, compiled: %s", i, err.msg);
        cuzk_compiled_free(compiled);
        assert_int_equal(cuzk_mem_used(), before);
        cuzk_srs_fini(&srs);
    }
}

static void truncated_sections_are_refused(void **state)
{
    (void)state;
    const small_circuit *s = &small_circuits[7];
    const cs_circuit circuit = {s->synthesize, &s->values};
    const groth16_prove_options opt = {0};
    groth16_srs srs;
    groth16_proof proof;
    cuzk_err err = {0};
    set_up(&srs, s);
    struct {
        size_t *n;
        const char *part;
    } cases[] = {{&srs.n_a, "section a"}, {&srs.n_b, "section b_g1"}, {&srs.n_h, "section h"}};
    for (size_t i = 0; i < CUZK_ARRAY_LEN(cases); i++) {
        size_t old = *cases[i].n;
        *cases[i].n = i == 2 ? 2 * old + 1 : old - 1;
        assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_PARAMS);
        assert_non_null(strstr(err.msg, cases[i].part));
        *cases[i].n = old;
    }
    memset(&srs.vk.delta_g1, 0, sizeof srs.vk.delta_g1);
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, &err), CUZK_PARAMS);
    assert_non_null(strstr(err.msg, "identity as delta"));
    cuzk_srs_fini(&srs);
}

static void unconstrained_circuit(const void *ctx, cs *c)
{
    product_circuit(ctx, c);
    cs_alloc(c, &cuzk_fr_one);
}

static void expect_setup_refused(const char *part, const groth16_secrets *s,
                                 void (*synthesize)(const void *, cs *))
{
    const cs_circuit circuit = {synthesize, &blank};
    cuzk_err err = {0};
    assert_int_equal(cuzk_groth16_setup(&circuit, s, test_path("no.params"), test_path("no.vk"),
                                        NULL, NULL, &err),
                     CUZK_INVAL);
    assert_non_null(strstr(err.msg, part));
    assert_int_equal(access(test_path("no.params"), F_OK), -1);
}

static void impossible_setups(void **state)
{
    (void)state;
    groth16_secrets s = secrets;
    s.tau = cuzk_fr_one;
    expect_setup_refused("tau is a point of the domain", &s, mixed_circuit);
    s = secrets;
    s.gamma = number(0);
    expect_setup_refused("gamma is zero", &s, mixed_circuit);
    expect_setup_refused("aux variable 2 of 3", &secrets, unconstrained_circuit);
}

/* F11 */
static void any_thread_count_same_bytes(void **state)
{
    (void)state;
    const small_circuit *s = &small_circuits[10];
    const fr r = number(5), q = number(6);
    groth16_srs srs;
    groth16_proof want, got;
    groth16_prove_options opt = {.r = &r, .s = &q};
    set_up(&srs, s);
    prove_ok(&want, s, &srs, &opt);
    for (unsigned threads = 1; threads <= 4; threads++) {
        assert_int_equal(cuzk_pool_new(&opt.pool, threads, "prove-test", NULL), CUZK_OK);
        prove_ok(&got, s, &srs, &opt);
        assert_memory_equal(&got, &want, sizeof got);
        cuzk_pool_free(opt.pool);
    }
    cuzk_srs_fini(&srs);
}

/* Each allocation in turn fails: the right status, no leak, and the next job works. */
static void failed_allocations(void **state)
{
    (void)state;
    const small_circuit *s = &small_circuits[0];
    const cs_circuit circuit = {s->synthesize, &s->values};
    compiled_circuit *compiled = compile(s);
    const groth16_prove_options opt[2] = {{0}, {.compiled = compiled}};
    groth16_srs srs;
    groth16_proof proof;
    set_up(&srs, s);
    uint64_t before = cuzk_mem_used();
    cuzk_status st;
    for (unsigned mode = 0; mode < 2; mode++) {
        st = CUZK_NOMEM;
        for (uint64_t nth = 1; st == CUZK_NOMEM; nth++) {
            cuzk_mem_fail_nth(nth);
            st = cuzk_groth16_prove(&proof, &circuit, &srs, &opt[mode], NULL);
            cuzk_mem_fail_nth(0);
            assert_int_equal(cuzk_mem_used(), before);
            assert_true(nth < 200);
        }
        assert_int_equal(st, CUZK_OK);
    }
    st = CUZK_NOMEM;
    for (uint64_t nth = 1; st == CUZK_NOMEM; nth++) {
        cuzk_mem_fail_nth(nth);
        st = cuzk_groth16_setup(&circuit, &secrets, test_path("f.params"), test_path("f.vk"), NULL,
                                NULL, NULL);
        cuzk_mem_fail_nth(0);
        assert_int_equal(cuzk_mem_used(), before);
        assert_true(nth < 200);
    }
    assert_int_equal(st, CUZK_OK);
    cuzk_compiled_free(compiled);
    cuzk_srs_fini(&srs);
}

static void note_phase(void *ctx, const char *phase, int partition)
{
    char *all = ctx;
    assert_int_equal(partition, 4);
    strcat(strcat(all, phase), " ");
}

static void phases_spans_and_cancel(void **state)
{
    (void)state;
    const small_circuit *s = &small_circuits[0];
    const cs_circuit circuit = {s->synthesize, &s->values};
    char phases[256] = "", spans[256] = "";
    atomic_bool cancel = false;
    cuzk_trace *trace = cuzk_trace_new("test");
    groth16_prove_options opt = {.partition = 4,
                                 .trace = trace,
                                 .cancel = &cancel,
                                 .progress = note_phase,
                                 .progress_ctx = phases};
    groth16_srs srs;
    groth16_proof proof;
    size_t n;
    set_up(&srs, s);
    prove_ok(&proof, s, &srs, &opt);
    const cuzk_span_record *span = cuzk_trace_records(trace, &n);
    for (size_t i = 0; i < n; i++)
        note_phase(spans, span[i].phase, span[i].partition);
    assert_string_equal(phases, "witness ntt msm_h msm_l msm_a msm_b1 msm_b2 finish ");
    assert_string_equal(spans, phases);
    atomic_store(&cancel, true);
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, NULL), CUZK_CANCELLED);
    opt.r = &cuzk_fr_one;
    assert_int_equal(cuzk_groth16_prove(&proof, &circuit, &srs, &opt, NULL), CUZK_INVAL);
    cuzk_srs_fini(&srs);
    cuzk_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_equal_their_logarithms),
        cmocka_unit_test(random_proofs_differ_and_verify),
        cmocka_unit_test(long_chain),
        cmocka_unit_test(sections_have_the_right_points),
        cmocka_unit_test(unsatisfied_witness_is_named),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(truncated_sections_are_refused),
        cmocka_unit_test(impossible_setups),
        cmocka_unit_test(any_thread_count_same_bytes),
        cmocka_unit_test(failed_allocations),
        cmocka_unit_test(phases_spans_and_cancel),
    };
    return cmocka_run_group_tests(tests, make_secrets, test_dir_remove);
}
