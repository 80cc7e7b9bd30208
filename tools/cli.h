/* What all verbs of the cuzk program share: options, errors, JSON, the timing table, progress. */
#ifndef CUZK_TOOLS_CLI_H
#define CUZK_TOOLS_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include <yajl/yajl_gen.h>

#include "cuzk/client.h"
#include "cuzk/config.h"
#include "cuzk/cuzk.h"
#include "cuzk/daemon.h"
#include "cuzk/switches.h"

#define CLI_EXIT_USAGE 64

typedef enum { CLI_FLAG, CLI_STRING, CLI_STRING_LIST, CLI_UINT } cli_type;

#define CLI_LIST_MAX 64
typedef struct {
    const char *value[CLI_LIST_MAX];
    unsigned n;
} cli_list;

typedef struct {
    const char *name; /* without -- */
    cli_type type;
    void *dst;           /* bool, const char *, cli_list, or uint64_t */
    const char *operand; /* shown in the help: "DIR"; NULL for flags */
    const char *help;
} cli_option;

typedef struct {
    const char *usage; /* "prove REQUEST --out FILE [options]" */
    const char *about; /* paragraphs for --help */
    const cli_option *options;
    unsigned n_options;
    const char *const *operand_names;
    unsigned n_operands; /* exactly so many */
} cli_command;

/* Fills options and operand[]. Returns true to go on; false when *exit_code is the answer already
 * (help printed, or a usage error explained). */
bool cli_parse(const cli_command *cmd, int argc, char **argv, const char *operand[],
               int *exit_code);
/* The same with up to max operands, of which *n are given; n_operands of cmd is the least number.
 */
bool cli_parse_many(const cli_command *cmd, int argc, char **argv, const char *operand[],
                    unsigned max, unsigned *n, int *exit_code);

/* Common options, to be listed in every command's table. */
typedef struct {
    bool json;
    uint64_t threads;
    const char *params_dir;
    const char *opts; /* --opts; cli_set_switches applies it */
} cli_common;
#define CLI_OPT_OPTS(c)                                                                            \
    {                                                                                              \
        "opts", CLI_STRING, &(c).opts, "LIST",                                                     \
            "switches, as A1=off,B1=on (`cuzk opts` lists them); wins over CUZK_OPTS"              \
    }
#define CLI_OPT_JSON(c)                                                                            \
    {                                                                                              \
        "json", CLI_FLAG, &(c).json, NULL, "print the result as one JSON object"                   \
    }
#define CLI_OPT_THREADS(c)                                                                         \
    {                                                                                              \
        "threads", CLI_UINT, &(c).threads, "N",                                                    \
            "threads to use; default: all this process may use"                                    \
    }
#define CLI_OPT_PARAMS(c)                                                                          \
    {                                                                                              \
        "params", CLI_STRING, &(c).params_dir, "DIR",                                              \
            "folder of parameter files; default: $FIL_PROOFS_PARAMETER_CACHE, then\n"              \
            "/var/tmp/filecoin-proof-parameters"                                                   \
    }

/* Options of the verbs that call a daemon, and the connection they describe. */
#define CLI_OPT_DAEMON(o)                                                                          \
    {"address", CLI_STRING, &(o).address, "ADDRESS",                                               \
     "unix:///path or host:port; default: " CUZK_DEFAULT_ADDRESS},                                 \
        {"ca", CLI_STRING, &(o).tls_ca, "FILE",                                                    \
         "use TLS and believe certificates of this authority (PEM)"},                              \
        {"cert", CLI_STRING, &(o).tls_cert, "FILE", "our own certificate, for daemons that ask"},  \
        {"key", CLI_STRING, &(o).tls_key, "FILE", "and its key"},                                  \
    {                                                                                              \
        "token-file", CLI_STRING, &(o).token_file, "FILE",                                         \
            "whose first line is the daemon's token"                                               \
    }

/* Between a daemon's result and the program's: the status of a job that did not complete (err
 * explains), its report, and its proof in out_path (which may be NULL). */
cuzk_status cli_job_status(const cuzk_client_result *r, cuzk_err *err);
void cli_job_report(const cuzk_client_result *r, const char *out_path, bool json);

/* Prints "cuzk: ..." on stderr (and, with json, an object with "error" on stdout); returns the exit
 * code. */
int cli_fail(bool json, cuzk_status st, const cuzk_err *err);
int cli_fail_text(bool json, cuzk_status st, const char *text);

/* Switches: what --opts says, or an error on stderr and false. list may be NULL. */
bool cli_set_switches(const char *list, int *exit_code);
bool cli_switch_on(const char *name);
/* Auto becomes streamed for one partition (switch stream-one). */
cuzk_srs_mode cli_choose_srs(cuzk_srs_mode mode, bool one_partition);
void cli_json_switches(yajl_gen g); /* "switches": {"A1": true, ...} */

/* JSON objects on stdout. */
yajl_gen cli_json_begin(void); /* opens the top object */
void cli_json_key(yajl_gen g, const char *key);
void cli_json_string(yajl_gen g, const char *key, const char *value);
void cli_json_uint(yajl_gen g, const char *key, uint64_t value);
void cli_json_double(yajl_gen g, const char *key, double value);
void cli_json_bool(yajl_gen g, const char *key, bool value);
void cli_json_hex(yajl_gen g, const char *key, const uint8_t *bytes, size_t n);
void cli_json_trace(yajl_gen g, const cuzk_trace *trace); /* "phases": [{phase, partition, ms}] */
void cli_json_end(yajl_gen g);                            /* closes, prints with a newline, frees */

void cli_hex(char *out, const uint8_t *bytes, size_t n);

/* The phases of a trace, summed over partitions, as a table on stderr. */
void cli_print_trace(const cuzk_trace *trace, double total_s);
double cli_now(void);      /* seconds, monotonic */
uint64_t cli_now_ns(void); /* the same clock; that of cuzk_trace_add */

/* Progress on a terminal: one line on stderr, redrawn each half second once two seconds have
 * passed. Nothing at all when stderr is not a terminal. */
typedef struct cli_progress cli_progress;
cli_progress *cli_progress_start(const char *what);
void cli_progress_phase(void *progress, const char *phase, int partition); /* a cuzk_progress_fn */
void cli_progress_stop(cli_progress *p);

/* Whole files. read: *bytes with malloc, at most 256 MiB. */
cuzk_status cli_read_file(uint8_t **bytes, size_t *n, const char *path, cuzk_err *err);
cuzk_status cli_write_file(const char *path, const uint8_t *bytes, size_t n, cuzk_err *err);

/* Flags that stand for settings (cuzk/config.h), with --config and --set: `serve` and `config`
 * share them. cli_settings_options returns how many it wrote; after the parse cli_settings_source
 * fills source, which borrows s. */
#define CLI_MAX_SETTINGS 32
typedef struct {
    cuzk_config_flag flag[CLI_MAX_SETTINGS];
    bool on[CLI_MAX_SETTINGS];
    cli_list value[CLI_MAX_SETTINGS];
    char help[CLI_MAX_SETTINGS][400];
    size_t n;
    const char *path;
    cli_list set;
    char *made[CLI_MAX_SETTINGS]; /* "section.key=value" */
    const char *all[CLI_MAX_SETTINGS + CLI_LIST_MAX];
} cli_settings;
unsigned cli_settings_options(cli_settings *s, cli_option out[]);
bool cli_settings_source(cli_settings *s, cuzk_config_source *source); /* false: no memory */
void cli_settings_fini(cli_settings *s);

extern char **cli_argv; /* what main was given */

/* One per verb: tools/cmd_*.c. argv[0] is the verb. */
int cmd_prove(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_params(int argc, char **argv);
int cmd_circuit(int argc, char **argv);
int cmd_circuits(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_submit(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_await(int argc, char **argv);
int cmd_cancel(int argc, char **argv);
int cmd_srs(int argc, char **argv);
int cmd_synth(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_bench_compare(int argc, char **argv); /* argv[0]: "compare" */
int cmd_diagnose(int argc, char **argv);
int cmd_memmon(int argc, char **argv);
int cmd_opts(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
