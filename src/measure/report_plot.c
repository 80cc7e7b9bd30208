/* Plots of a report, drawn by gnuplot as SVG.
 *
 * gnuplot knows fixed colours alone, so each colour of the page has a stand-in that nothing else
 * uses, which is replaced in what gnuplot wrote. Its marks are named alike in every file; they get
 * a letter of their own, since several plots share a page.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "measure/report.h"

#define MAX_SVG_BYTES ((size_t)8 << 20)
#define PATIENCE_MS   20000
#define FOREGROUND    "#0a0b0c"
#define GRID          "#0d0e0f"

extern char **environ;

/* ---- what is drawn ---- */

static void put_head(cuzk_buffer *b, const char *name, unsigned height)
{
    cuzk_buffer_printf(b,
                       "set terminal svg size 760,%u name \"%s\" font \"inherit,13\"\n"
                       "set encoding utf8\nset border 1 lc rgb \"" FOREGROUND "\"\n"
                       "set xtics nomirror textcolor rgb \"" FOREGROUND "\"\n"
                       "set ytics nomirror scale 0 textcolor rgb \"" FOREGROUND "\"\n"
                       "set grid x lc rgb \"" GRID "\" lt 1 lw 1\nunset key\n",
                       height, name);
}

/* Inside a string of gnuplot in double quotes. */
static void put_quoted(cuzk_buffer *b, const char *text)
{
    cuzk_buffer_text(b, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            cuzk_buffer_text(b, "\\");
        cuzk_buffer_printf(b, "%c", *text);
    }
    cuzk_buffer_text(b, "\"");
}

static unsigned verdict_colour(cuzk_verdict v)
{
    return v == CUZK_SLOWER ? 1 : v == CUZK_FASTER ? 2 : 3;
}

/* A row a verdict, first on top; the band is what is of no interest. */
static void put_intervals(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    unsigned n = d->n_verdicts;
    double band = d->smallest * d->quality.run_ms;
    put_head(b, "intervals", 90 + 34 * n);
    cuzk_buffer_printf(b,
                       "set yrange [-0.6:%u.4]\nset xlabel \"ms per run, on minus off\" textcolor "
                       "rgb \"" FOREGROUND "\"\nset bars 0\n"
                       "set object 1 rectangle from %.6f, graph 0 to %.6f, graph 1 behind fc rgb "
                       "\"" GRID "\" fs solid noborder\n"
                       "set arrow 1 from 0, graph 0 to 0, graph 1 nohead back lc rgb \"" FOREGROUND
                       "\" lw 1\n",
                       n ? n - 1 : 0, -band, band);
    cuzk_buffer_text(b, "set ytics (");
    for (unsigned i = 0; i < n; i++) {
        put_quoted(b, d->verdict[i].name);
        cuzk_buffer_printf(b, " %u%s", n - 1 - i, i + 1 < n ? ", " : ")\n");
    }
    for (unsigned c = 1; c <= 3; c++) {
        cuzk_buffer_printf(b, "$c%u << EOD\n", c);
        cuzk_buffer_printf(b, "nan nan nan nan\n");
        for (unsigned i = 0; i < n; i++) {
            const cuzk_diagnose_verdict *v = &d->verdict[i];
            if (verdict_colour(v->time) == c)
                cuzk_buffer_printf(b, "%.6f %u %.6f %.6f\n", v->ms.estimate, n - 1 - i, v->ms.low,
                                   v->ms.high);
        }
        cuzk_buffer_text(b, "EOD\n");
    }
    cuzk_buffer_text(b, "plot");
    for (unsigned c = 1; c <= 3; c++)
        cuzk_buffer_printf(b,
                           "%s $c%u using 1:2:3:4 with xerrorbars lc rgb \"#0000%02x\" lw 3 pt 7 "
                           "ps 0.9",
                           c > 1 ? "," : "", c, 0xb0 + c);
    cuzk_buffer_text(b, "\n");
}

/* A stacked bar for some configurations. */
static void put_phases(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    report_bars bars;
    cuzk_report_bars(&bars, d);
    put_head(b, "phases", 90 + 26 * bars.n_bars);
    cuzk_buffer_printf(b,
                       "set yrange [-0.6:%u.4]\nset xrange [0:*]\nset xlabel \"ms per run\" "
                       "textcolor rgb \"" FOREGROUND "\"\nset style fill solid 1 noborder\n",
                       bars.n_bars - 1);
    cuzk_buffer_text(b, "set ytics (");
    for (unsigned i = 0; i < bars.n_bars; i++) {
        char name[64];
        cuzk_diagnosis_config_name(name, d, bars.config[i]);
        put_quoted(b, name);
        cuzk_buffer_printf(b, " %u%s", bars.n_bars - 1 - i, i + 1 < bars.n_bars ? ", " : ")\n");
    }
    for (unsigned s = 0; s < bars.n_series; s++) {
        cuzk_buffer_printf(b, "$s%u << EOD\n", s);
        for (unsigned i = 0; i < bars.n_bars; i++) {
            double left = s ? bars.end_ms[i][s - 1] : 0, right = bars.end_ms[i][s];
            cuzk_buffer_printf(b, "%.6f %u %.6f %.6f %.2f %.2f\n", left, bars.n_bars - 1 - i, left,
                               right, bars.n_bars - 1 - i - 0.36, bars.n_bars - 1 - i + 0.36);
        }
        cuzk_buffer_text(b, "EOD\n");
    }
    cuzk_buffer_text(b, "plot");
    for (unsigned s = 0; s < bars.n_series; s++)
        cuzk_buffer_printf(b, "%s $s%u using 1:2:3:4:5:6 with boxxyerror lc rgb \"#0000%02x\"",
                           s ? "," : "", s, 0xa1 + s);
    cuzk_buffer_text(b, "\n");
}

static void put_memory(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    report_curves c;
    cuzk_report_curves(&c, d);
    put_head(b, "memory", 320);
    cuzk_buffer_text(b, "set grid y lc rgb \"" GRID "\" lt 1 lw 1\nset xrange [0:*]\nset yrange "
                        "[0:*]\nset xlabel \"ms since the begin of the run\" textcolor rgb "
                        "\"" FOREGROUND "\"\nset ylabel \"MiB resident\" textcolor rgb "
                        "\"" FOREGROUND "\"\n");
    for (unsigned i = 0; i < c.n; i++) {
        const cuzk_diagnose_run *r = &d->run[c.config[i]]; /* of the first block */
        cuzk_buffer_printf(b, "$m%u << EOD\n", i);
        for (size_t k = 0; k < r->n_curve; k++)
            cuzk_buffer_printf(b, "%" PRIu32 " %.2f\n", r->curve_ms[k], r->curve_kb[k] / 1024.0);
        cuzk_buffer_text(b, "EOD\n");
    }
    cuzk_buffer_text(b, "plot");
    for (unsigned i = 0; i < c.n; i++)
        cuzk_buffer_printf(b, "%s $m%u using 1:2 with lines lw 2 dt %u lc rgb \"#0000%02x\"",
                           i ? "," : "", i, i + 1, 0xa1 + i);
    cuzk_buffer_text(b, "\n");
}

/* ---- gnuplot ---- */

/* True when it ended well within its time. */
static bool await(pid_t pid)
{
    int status;
    for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return false;
        poll(NULL, 0, 10);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return false;
}

static bool run_gnuplot(const char *script)
{
    char name[] = "gnuplot", *path = cuzk_strdup(script);
    char *const argv[] = {name, path, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    if (!path)
        return false;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    bool ok = posix_spawnp(&pid, name, &quiet, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    cuzk_free(path);
    return ok && await(pid);
}

/* ---- from its file into the page ---- */

static size_t put_colour(cuzk_buffer *out, const char *at)
{
    int r, g, b, n = 0;
    if (sscanf(at, "rgb( %d, %d, %d)%n", &r, &g, &b, &n) != 3 || n == 0)
        return 0;
    if (r == 10 && g == 11 && b == 12)
        cuzk_buffer_text(out, "var(--fg)");
    else if (r == 13 && g == 14 && b == 15)
        cuzk_buffer_text(out, "var(--grid)");
    else if (r == 0 && g == 0 && b > 0xa0 && b <= 0xa8)
        cuzk_buffer_printf(out, "var(--s%d)", b - 0xa0);
    else if (r == 0 && g == 0 && b > 0xb0 && b <= 0xb3)
        cuzk_buffer_printf(out, "var(--v%d)", b - 0xb0);
    else
        return 0;
    return (size_t)n;
}

static void put_svg(cuzk_buffer *out, const char *svg, report_plot which)
{
    const char *at = strstr(svg, "<svg");
    while (at && *at) {
        size_t n = strncmp(at, "rgb(", 4) == 0 ? put_colour(out, at) : 0;
        if (n == 0 && strncmp(at, "gpPt", 4) == 0) {
            cuzk_buffer_printf(out, "%cp", 'a' + (int)which);
            n = 4;
        } else if (n == 0 && strncmp(at, "gpDot", 5) == 0) {
            cuzk_buffer_printf(out, "%cd", 'a' + (int)which);
            n = 5;
        }
        if (n == 0) {
            n = 1 + strcspn(at + 1, "rg");
            cuzk_buffer_put(out, at, n);
        }
        at += n;
    }
}

static bool plot_in(cuzk_buffer *out, const cuzk_diagnosis *d, report_plot which, const char *dir)
{
    static void (*const put[])(cuzk_buffer *, const cuzk_diagnosis *) = {put_intervals, put_phases,
                                                                         put_memory};
    cuzk_buffer script = {0};
    uint8_t *svg = NULL;
    size_t n;
    char script_path[64], svg_path[64];
    snprintf(script_path, sizeof script_path, "%.40s/plot", dir);
    snprintf(svg_path, sizeof svg_path, "%.40s/svg", dir);
    cuzk_buffer_printf(&script, "set output \"%s\"\n", svg_path);
    put[which](&script, d);
    bool ok = !script.failed &&
              cuzk_file_write(script_path, script.text, script.n, NULL) == CUZK_OK &&
              run_gnuplot(script_path) &&
              cuzk_file_read(&svg, &n, svg_path, MAX_SVG_BYTES, NULL) == CUZK_OK &&
              strstr((const char *)svg, "</svg>") != NULL;
    if (ok)
        put_svg(out, (const char *)svg, which);
    unlink(script_path);
    unlink(svg_path);
    cuzk_free(svg);
    cuzk_buffer_fini(&script);
    return ok;
}

bool cuzk_report_plot(cuzk_buffer *out, const cuzk_diagnosis *d, report_plot which)
{
    char dir[] = "/tmp/cuzk-plot-XXXXXX";
    if (!mkdtemp(dir))
        return false;
    bool ok = plot_in(out, d, which, dir);
    rmdir(dir);
    return ok;
}
