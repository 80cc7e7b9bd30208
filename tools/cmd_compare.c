/* cuzk bench compare A B: two JSON results of `cuzk bench`, sample by sample. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_tree.h>

#include "cli.h"
#include "cuzk/diagnose.h"

#define EXIT_WORSE 1

typedef struct {
    const char *path;
    yajl_val root, samples;
} result;

typedef struct {
    bool json;
    double threshold; /* fraction */
    yajl_gen g;
    unsigned n_rows, n_worse;
} comparison;

/* ---- reading ---- */

static yajl_val member(yajl_val v, const char *key, yajl_type type)
{
    const char *path[] = {key, NULL};
    return yajl_tree_get(v, path, type);
}

static const char *text_of(yajl_val v, const char *key)
{
    yajl_val t = member(v, key, yajl_t_string);
    return t ? t->u.string : "";
}

static cuzk_status refuse(cuzk_err *err, cuzk_status st, const char *path, const char *why)
{
    err->status = st;
    snprintf(err->msg, sizeof err->msg, "%.200s: %.250s", path, why);
    return st;
}

static cuzk_status read_result(result *r, const char *path, cuzk_err *err)
{
    uint8_t *bytes = NULL;
    size_t n;
    char why[256] = "";
    r->path = path;
    cuzk_status st = cli_read_file(&bytes, &n, path, err);
    if (st != CUZK_OK)
        return st;
    bytes[n] = '\0';
    r->root = strlen((char *)bytes) == n ? yajl_tree_parse((char *)bytes, why, sizeof why) : NULL;
    free(bytes);
    if (!r->root)
        return refuse(err, CUZK_ENCODING, path, why[0] ? why : "not JSON");
    r->samples = member(r->root, "samples", yajl_t_array);
    yajl_val schema = member(r->root, "schema", yajl_t_number);
    if (!r->samples || !schema || !YAJL_IS_INTEGER(schema) || schema->u.number.i != 1)
        return refuse(err, CUZK_ENCODING, path,
                      "not a result of `cuzk bench ... --json` (\"schema\": 1 and \"samples\" are "
                      "wanted)");
    return CUZK_OK;
}

/* A new array (free) of the values of a sample; NULL when they are not numbers. */
static double *values_of(yajl_val sample, size_t *n)
{
    yajl_val list = member(sample, "values", yajl_t_array);
    *n = list ? list->u.array.len : 0;
    double *x = *n ? calloc(*n, sizeof *x) : NULL;
    for (size_t i = 0; x && i < *n; i++) {
        yajl_val v = list->u.array.values[i];
        if (!YAJL_IS_NUMBER(v)) {
            free(x);
            return NULL;
        }
        x[i] = YAJL_IS_DOUBLE(v) ? v->u.number.d : (double)v->u.number.i;
    }
    return x;
}

static yajl_val find_sample(const result *r, const char *name)
{
    for (size_t i = 0; i < r->samples->u.array.len; i++) {
        yajl_val s = r->samples->u.array.values[i];
        if (strcmp(text_of(s, "name"), name) == 0)
            return s;
    }
    return NULL;
}

/* ---- what else differs ---- */

/* Equal as far as strings, numbers and lists of them go. */
static bool same_value(yajl_val a, yajl_val b)
{
    if (!a || !b || a->type != b->type)
        return a == b;
    if (YAJL_IS_STRING(a))
        return strcmp(a->u.string, b->u.string) == 0;
    if (YAJL_IS_NUMBER(a))
        return strcmp(a->u.number.r, b->u.number.r) == 0;
    size_t n = YAJL_IS_ARRAY(a) ? a->u.array.len : 0;
    bool same = !YAJL_IS_ARRAY(a) || b->u.array.len == n;
    for (size_t i = 0; same && i < n; i++) {
        yajl_val x = a->u.array.values[i], y = b->u.array.values[i];
        same = x->type == y->type && (!YAJL_IS_STRING(x) || same_value(x, y));
    }
    return same;
}

/* Says on stderr which members of one part ("machine") differ; returns how many. */
static unsigned tell_differences(const result *a, const result *b, const char *part)
{
    yajl_val x = member(a->root, part, yajl_t_object), y = member(b->root, part, yajl_t_object);
    unsigned n = 0;
    for (size_t i = 0; x && y && i < x->u.object.len; i++) {
        const char *key = x->u.object.keys[i];
        const char *path[] = {key, NULL};
        yajl_val other = yajl_tree_get(y, path, yajl_t_any);
        if (same_value(x->u.object.values[i], other))
            continue;
        fprintf(stderr, "%s%s", n++ ? ", " : "cuzk: they differ in ", key);
    }
    if (n)
        fprintf(stderr, " (%s)\n", part);
    return n;
}

static cuzk_status check_comparable(const result *a, const result *b, cuzk_err *err)
{
    const char *x = text_of(a->root, "bench"), *y = text_of(b->root, "bench");
    if (strcmp(x, y) != 0) {
        err->status = CUZK_INVAL;
        snprintf(err->msg, sizeof err->msg,
                 "%.150s is of bench %.40s, %.150s of bench %.40s: they cannot be compared",
                 a->path, x, b->path, y);
        return CUZK_INVAL;
    }
    tell_differences(a, b, "workload");
    tell_differences(a, b, "machine");
    tell_differences(a, b, "build");
    tell_differences(a, b, "switches");
    return CUZK_OK;
}

/* ---- comparing ---- */

static void print_row(comparison *c, const char *name, cuzk_ratio r, bool higher_is_better,
                      const char *verdict)
{
    if (!c->json) {
        printf("%-24s %8.3f   [%.3f, %.3f]  %s%s\n", name, r.ratio, r.low,
               isfinite(r.high) ? r.high : 999, verdict,
               higher_is_better ? " (higher is better)" : "");
        return;
    }
    yajl_gen_map_open(c->g);
    cli_json_string(c->g, "name", name);
    cli_json_double(c->g, "ratio", r.ratio);
    cli_json_double(c->g, "low", r.low);
    if (isfinite(r.high))
        cli_json_double(c->g, "high", r.high);
    cli_json_string(c->g, "verdict", verdict);
    yajl_gen_map_close(c->g);
}

/* Worse beyond doubt: the whole interval is beyond the threshold. */
static const char *judge(cuzk_ratio r, bool higher_is_better, double threshold)
{
    double worst_case = higher_is_better ? 1 / r.high : r.low;
    double best_case = higher_is_better ? 1 / r.low : r.high;
    if (worst_case > 1 + threshold)
        return "worse";
    if (best_case < 1 / (1 + threshold))
        return "better";
    return worst_case > 1 || best_case < 1 ? "within the threshold" : "no difference seen";
}

static cuzk_status compare_sample(comparison *c, yajl_val x, yajl_val y, cuzk_err *err)
{
    size_t n_x, n_y;
    cuzk_ratio r;
    double *a = values_of(x, &n_x), *b = values_of(y, &n_y);
    bool higher = strcmp(text_of(x, "better"), "higher") == 0;
    cuzk_status st = a && b ? cuzk_compare_samples(&r, a, n_x, b, n_y, err) : CUZK_OK;
    if (st == CUZK_OK && a && b) {
        const char *verdict = judge(r, higher, c->threshold);
        print_row(c, text_of(x, "name"), r, higher, verdict);
        c->n_rows++;
        c->n_worse += strcmp(verdict, "worse") == 0;
    }
    if (st == CUZK_INVAL) /* a phase that took no time */
        st = CUZK_OK;
    free(b);
    free(a);
    return st;
}

static cuzk_status compare_all(comparison *c, const result *a, const result *b, cuzk_err *err)
{
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; i < a->samples->u.array.len && st == CUZK_OK; i++) {
        yajl_val x = a->samples->u.array.values[i];
        yajl_val y = find_sample(b, text_of(x, "name"));
        if (y)
            st = compare_sample(c, x, y, err);
    }
    if (st == CUZK_OK && c->n_rows == 0)
        st = refuse(err, CUZK_INVAL, b->path, "no sample has the name of one of the other file");
    return st;
}

static cuzk_status compare(comparison *c, const char *path_a, const char *path_b, cuzk_err *err)
{
    result a = {0}, b = {0};
    cuzk_status st = read_result(&a, path_a, err);
    if (st == CUZK_OK)
        st = read_result(&b, path_b, err);
    if (st == CUZK_OK)
        st = check_comparable(&a, &b, err);
    if (st == CUZK_OK && !c->json)
        printf("%-24s %8s   %s\n", "sample", "B / A", "95 % interval");
    if (st == CUZK_OK)
        st = compare_all(c, &a, &b, err);
    yajl_tree_free(b.root);
    yajl_tree_free(a.root);
    return st;
}

static bool parse_threshold(double *out, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text || !(v >= 0) || v > 1000) {
        fprintf(stderr, "cuzk: bench compare: --threshold is \"%s\"; a percentage is wanted\n",
                text);
        return false;
    }
    *out = v / 100;
    return true;
}

static int finish(comparison *c, cuzk_status st, const cuzk_err *err)
{
    if (c->json) {
        yajl_gen_array_close(c->g);
        cli_json_bool(c->g, "ok", st == CUZK_OK);
        cli_json_uint(c->g, "worse", c->n_worse);
        if (st != CUZK_OK)
            cli_json_string(c->g, "error", err->msg);
        cli_json_end(c->g);
    }
    if (st != CUZK_OK)
        return cli_fail(false, st, err);
    if (c->n_worse > 0)
        fprintf(stderr, "cuzk: %u of %u samples are worse by more than %g %%\n", c->n_worse,
                c->n_rows, 100 * c->threshold);
    return c->n_worse > 0 ? EXIT_WORSE : 0;
}

int cmd_bench_compare(int argc, char **argv)
{
    int exit_code = 0;
    comparison c = {0};
    cuzk_err err = {0};
    const char *threshold = "0", *operand[2];
    const cli_option options[] = {
        {"threshold", CLI_STRING, &threshold, "PCT", "how much worse is still accepted; default 0"},
        {"json", CLI_FLAG, &c.json, NULL, "print the result as one JSON object"},
    };
    static const char *const names[] = {"A", "B"};
    const cli_command cmd = {
        "bench compare A B [options]",
        "Compares two results of `cuzk bench ... --json`, sample by sample: how many times B is "
        "A,\n"
        "from medians, with a 95 % interval. Exits with 1 when a sample of B is worse than\n"
        "accepted: when its whole interval is.",
        options,
        sizeof options / sizeof options[0],
        names,
        2};
    if (!cli_parse(&cmd, argc, argv, operand, &exit_code))
        return exit_code;
    if (!parse_threshold(&c.threshold, threshold))
        return CLI_EXIT_USAGE;
    if (c.json) {
        c.g = cli_json_begin();
        cli_json_key(c.g, "samples");
        yajl_gen_array_open(c.g);
    }
    cuzk_status st = compare(&c, operand[0], operand[1], &err);
    return finish(&c, st, &err);
}
