/* Option tables on top of getopt_long, error reports and JSON output. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_OPTIONS    48
#define MAX_FILE_BYTES ((long)256 << 20)

#define HELP_COLUMN 29
#define HELP_WIDTH  70

/* Breaks between words, wherever the text itself has blanks or newlines. */
static void print_wrapped(const char *text)
{
    size_t column = 0;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " \n");
        if (column && column + 1 + n > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "", (int)n, p);
        p += n;
        p += strspn(p, " \n");
    }
    putchar('\n');
}

static void print_option(const cli_option *o)
{
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->operand ? " " : "",
             o->operand ? o->operand : "");
    printf("  %-26s ", left);
    print_wrapped(o->help);
}

static void print_help(const cli_command *cmd)
{
    printf("usage: cuzk %s\n\n%s\n\noptions:\n", cmd->usage, cmd->about);
    for (unsigned i = 0; i < cmd->n_options; i++)
        print_option(&cmd->options[i]);
    printf("  %-26s %s\n", "--help", "this text");
}

static bool parse_uint(uint64_t *out, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return false;
    *out = v;
    return true;
}

static bool store_option(const cli_option *o, const char *value)
{
    switch (o->type) {
    case CLI_FLAG:
        *(bool *)o->dst = true;
        return true;
    case CLI_STRING:
        *(const char **)o->dst = value;
        return true;
    case CLI_STRING_LIST: {
        cli_list *list = o->dst;
        if (list->n == CLI_LIST_MAX)
            return false;
        list->value[list->n++] = value;
        return true;
    }
    case CLI_UINT:
        return parse_uint(o->dst, value);
    }
    return false;
}

static bool usage_error(const cli_command *cmd, int *exit_code)
{
    fprintf(stderr, "usage: cuzk %s\n(`cuzk %.*s --help` explains)\n", cmd->usage,
            (int)strcspn(cmd->usage, " "), cmd->usage);
    *exit_code = CLI_EXIT_USAGE;
    return false;
}

static void fill_getopt(struct option *o, const cli_command *cmd)
{
    for (unsigned i = 0; i < cmd->n_options; i++) {
        const cli_option *c = &cmd->options[i];
        o[i] = (struct option){c->name, c->type == CLI_FLAG ? no_argument : required_argument, NULL,
                               (int)i + 1};
    }
    o[cmd->n_options] = (struct option){"help", no_argument, NULL, 'h'};
}

bool cli_parse(const cli_command *cmd, int argc, char **argv, const char *operand[], int *exit_code)
{
    unsigned n;
    return cli_parse_many(cmd, argc, argv, operand, cmd->n_operands, &n, exit_code);
}

bool cli_parse_many(const cli_command *cmd, int argc, char **argv, const char *operand[],
                    unsigned max, unsigned *n_given, int *exit_code)
{
    struct option long_options[MAX_OPTIONS + 2] = {0};
    fill_getopt(long_options, cmd);
    optind = 1;
    for (;;) {
        int c = getopt_long(argc, argv, "h", long_options, NULL);
        if (c == -1)
            break;
        if (c == 'h' && cmd->n_options < 'h') {
            print_help(cmd);
            *exit_code = 0;
            return false;
        }
        if (c == '?')
            return usage_error(cmd, exit_code);
        const cli_option *o = &cmd->options[c - 1];
        if (!store_option(o, optarg)) {
            fprintf(stderr, "cuzk: --%s: \"%s\" is not accepted (%s)\n", o->name, optarg,
                    o->type == CLI_UINT ? "a whole number is wanted" : "given too often");
            return usage_error(cmd, exit_code);
        }
    }
    unsigned n = (unsigned)(argc - optind);
    if (n < cmd->n_operands)
        fprintf(stderr, "cuzk: %s is missing\n", cmd->operand_names[n]);
    if (n > max)
        fprintf(stderr, "cuzk: \"%s\" is one argument too many\n", argv[optind + (int)max]);
    if (n < cmd->n_operands || n > max)
        return usage_error(cmd, exit_code);
    for (unsigned i = 0; i < n; i++)
        operand[i] = argv[optind + (int)i];
    *n_given = n;
    return true;
}

int cli_fail_text(bool json, cuzk_status st, const char *text)
{
    fprintf(stderr, "cuzk: %s\n", text);
    if (json) {
        yajl_gen g = cli_json_begin();
        cli_json_bool(g, "ok", false);
        cli_json_string(g, "status", cuzk_status_name(st));
        cli_json_string(g, "error", text);
        cli_json_end(g);
    }
    return cuzk_status_exit_code(st);
}

int cli_fail(bool json, cuzk_status st, const cuzk_err *err)
{
    const char *text = err->status != CUZK_OK && err->msg[0] ? err->msg : cuzk_status_text(st);
    return cli_fail_text(json, st, text);
}

/* ---- JSON ---- */

yajl_gen cli_json_begin(void)
{
    yajl_gen g = yajl_gen_alloc(NULL);
    if (!g) {
        fprintf(stderr, "cuzk: no memory\n");
        exit(7);
    }
    yajl_gen_config(g, yajl_gen_beautify, 1);
    yajl_gen_config(g, yajl_gen_indent_string, "  ");
    yajl_gen_map_open(g);
    return g;
}

void cli_json_key(yajl_gen g, const char *key)
{
    yajl_gen_string(g, (const unsigned char *)key, strlen(key));
}

void cli_json_string(yajl_gen g, const char *key, const char *value)
{
    cli_json_key(g, key);
    yajl_gen_string(g, (const unsigned char *)value, strlen(value));
}

void cli_json_uint(yajl_gen g, const char *key, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    cli_json_key(g, key);
    yajl_gen_number(g, text, (size_t)n);
}

void cli_json_double(yajl_gen g, const char *key, double value)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.3f", isfinite(value) ? value : 0.0);
    cli_json_key(g, key);
    yajl_gen_number(g, text, (size_t)n);
}

void cli_json_bool(yajl_gen g, const char *key, bool value)
{
    cli_json_key(g, key);
    yajl_gen_bool(g, value);
}

void cli_hex(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void cli_json_hex(yajl_gen g, const char *key, const uint8_t *bytes, size_t n)
{
    char *text = malloc(2 * n + 1);
    cli_json_key(g, key);
    if (!text) {
        yajl_gen_null(g);
        return;
    }
    text[0] = '\0';
    cli_hex(text, bytes, n);
    yajl_gen_string(g, (const unsigned char *)text, 2 * n);
    free(text);
}

void cli_json_trace(yajl_gen g, const cuzk_trace *trace)
{
    size_t n;
    const cuzk_span_record *r = cuzk_trace_records(trace, &n);
    cli_json_key(g, "phases");
    yajl_gen_array_open(g);
    for (size_t i = 0; i < n; i++) {
        yajl_gen_map_open(g);
        cli_json_string(g, "phase", r[i].phase);
        if (r[i].partition != CUZK_NO_PARTITION)
            cli_json_uint(g, "partition", (uint64_t)r[i].partition);
        cli_json_double(g, "ms", (double)(r[i].end_ns - r[i].begin_ns) / 1e6);
        yajl_gen_map_close(g);
    }
    yajl_gen_array_close(g);
}

void cli_json_end(yajl_gen g)
{
    const unsigned char *text;
    size_t n;
    yajl_gen_map_close(g);
    yajl_gen_get_buf(g, &text, &n);
    fwrite(text, 1, n, stdout);
    fflush(stdout);
    yajl_gen_free(g);
}

/* ---- timing ---- */

uint64_t cli_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double cli_now(void)
{
    return (double)cli_now_ns() / 1e9;
}

static bool seen_before(const cuzk_span_record *r, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(r[k].phase, r[i].phase) == 0)
            return true;
    }
    return false;
}

void cli_print_trace(const cuzk_trace *trace, double total_s)
{
    size_t n;
    const cuzk_span_record *r = cuzk_trace_records(trace, &n);
    if (n == 0)
        return;
    fprintf(stderr, "%-12s %10s %7s\n", "phase", "seconds", "share");
    for (size_t i = 0; i < n; i++) {
        if (seen_before(r, i))
            continue;
        double s = (double)cuzk_trace_total_ns(trace, r[i].phase) / 1e9;
        fprintf(stderr, "%-12s %10.3f %6.1f%%\n", r[i].phase, s,
                total_s > 0 ? 100 * s / total_s : 0);
    }
    fprintf(stderr, "%-12s %10.3f\n", "total", total_s);
}

/* ---- files ---- */

cuzk_status cli_read_file(uint8_t **bytes, size_t *n, const char *path, cuzk_err *err)
{
    err->status = CUZK_IO;
    FILE *f = fopen(path, "rb");
    if (!f) {
        err->status = errno == ENOENT ? CUZK_NOT_FOUND : CUZK_IO;
        snprintf(err->msg, sizeof err->msg, "cannot open %s: %s", path, strerror(errno));
        return err->status;
    }
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    uint8_t *p = size >= 0 && size <= MAX_FILE_BYTES ? malloc((size_t)size + 1) : NULL;
    bool ok = p && fseek(f, 0, SEEK_SET) == 0 && fread(p, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    if (!ok) {
        free(p);
        snprintf(err->msg, sizeof err->msg, "cannot read %s (a file of at most 256 MiB is wanted)",
                 path);
        return CUZK_IO;
    }
    *bytes = p;
    *n = (size_t)size;
    return CUZK_OK;
}

cuzk_status cli_write_file(const char *path, const uint8_t *bytes, size_t n, cuzk_err *err)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    int sys = errno;
    if (f && fclose(f) != 0) {
        sys = errno;
        ok = false;
    }
    if (ok)
        return CUZK_OK;
    err->status = CUZK_IO;
    snprintf(err->msg, sizeof err->msg, "cannot write %s: %s", path, strerror(sys));
    return CUZK_IO;
}
