/* A diagnosis as one HTML file: nothing is loaded from anywhere, light and dark follow the reader's
 * setting, and what the plots show is in tables as well. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "measure/report.h"

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fcfcfa;--fg:#1d2126;--dim:#5b636d;--grid:#e4e5e1;"
    "--card:#fff;--v1:#c2332d;--v2:#1c7c4a;--v3:#5a6b7d;--s1:#2f5f9e;--s2:#c8842a;--s3:#5b9aa8;"
    "--s4:#8a5a9c;--s5:#7d8f3a;--s6:#b65f6e;--s7:#4b7bc4;--s8:#b3b6b4}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#16191d;--fg:#e4e6e8;--dim:#9ba4ae;"
    "--grid:#2c3238;--card:#1d2126;--v1:#f0766f;--v2:#5cc48c;--v3:#93a4b6;--s1:#6fa0e0;"
    "--s2:#e0a85a;--s3:#7cc0cc;--s4:#b98bcb;--s5:#a9bb66;--s6:#de8c9a;--s7:#8db2ee;--s8:#646b70}}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:58rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1rem;font-weight:600;color:var(--dim);margin:0}\n"
    "h2{font-size:1.15rem;margin:2.5rem 0 .5rem}\n"
    ".answer{font-size:1.5rem;line-height:1.35;font-weight:600;margin:.4rem 0 .8rem}\n"
    ".meta,figcaption,footer{color:var(--dim);font-size:.9rem}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--grid);"
    "vertical-align:top}\n"
    "th{font-size:.85rem;color:var(--dim);font-weight:600}td.n,th.n{text-align:right}td.n{white-"
    "space:nowrap}\n"
    ".v{font-weight:600;white-space:nowrap}.v.slower{color:var(--v1)}.v.faster{color:var(--v2)}"
    ".v.none{color:var(--v3)}\n"
    "figure{margin:1.5rem 0;background:var(--card);border:1px solid var(--grid);"
    "border-radius:8px;padding:1rem}\n"
    "figure svg{width:100%;height:auto;display:block;font-family:inherit}\n"
    ".key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.4rem 0 0;padding:0;"
    "font-size:.9rem}\n"
    ".key i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.4rem;"
    "vertical-align:-.05rem}\n"
    "details{margin:.6rem 0}summary{cursor:pointer}\n";

/* ---- text ---- */

static void put_text(cuzk_buffer *b, const char *text)
{
    for (;; text++) {
        size_t n = strcspn(text, "<>&\"");
        cuzk_buffer_put(b, text, n);
        text += n;
        if (!*text)
            return;
        cuzk_buffer_text(b, *text == '<'   ? "&lt;"
                            : *text == '>' ? "&gt;"
                            : *text == '&' ? "&amp;"
                                           : "&quot;");
    }
}

static const char *class_of(cuzk_verdict v)
{
    return v == CUZK_SLOWER ? "slower" : v == CUZK_FASTER ? "faster" : "none";
}

/* ---- verdicts ---- */

static void put_interval(cuzk_buffer *b, cuzk_diagnose_interval x, double unit, const char *suffix)
{
    cuzk_buffer_printf(b, "%+.1f <span class=meta>[%+.1f, %+.1f]%s</span>", x.estimate / unit,
                       x.low / unit, x.high / unit, suffix);
}

static void put_verdict(cuzk_buffer *b, const cuzk_diagnose_verdict *v)
{
    cuzk_buffer_text(b, "<tr><th scope=row>");
    put_text(b, v->name);
    cuzk_buffer_printf(b, "%s</th><td class=\"v %s\">%s</td><td class=n>",
                       v->pair ? " <span class=meta>(beyond each alone)</span>" : "",
                       class_of(v->time), cuzk_verdict_text(v->time));
    put_interval(b, v->ms, 1, "");
    cuzk_buffer_printf(b, "</td><td class=n>%+.1f %%</td><td>", v->percent);
    for (unsigned i = 0; i < v->n_shares; i++) {
        cuzk_buffer_text(b, i ? ", " : "");
        put_text(b, v->share[i].name);
        cuzk_buffer_printf(b, " %+.1f", v->share[i].ms.estimate);
    }
    cuzk_buffer_printf(b, "</td><td class=\"v %s\">%s</td><td class=n>", class_of(v->memory),
                       cuzk_verdict_memory_text(v->memory));
    put_interval(b, v->peak_kb, 1024, "");
    cuzk_buffer_text(b, "</td></tr>\n");
}

static void put_verdicts(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    cuzk_buffer_text(b, "<h2>Verdicts</h2>\n<div class=scroll><table><thead><tr><th>switch<th>time"
                        "<th class=n>ms per run, on &minus; off<th class=n>of a run<th>phases, ms"
                        "<th>memory<th class=n>MiB at most</tr></thead><tbody>\n");
    for (unsigned i = 0; i < d->n_verdicts; i++)
        put_verdict(b, &d->verdict[i]);
    cuzk_buffer_text(b,
                     "</tbody></table></div>\n<p class=meta>In brackets: intervals that hold for "
                     "all switches together with 95 % confidence.</p>\n");
}

/* ---- plots ---- */

static void put_key(cuzk_buffer *b, char palette, unsigned colour, const char *text)
{
    cuzk_buffer_printf(b, "<li><i style=\"background:var(--%c%u)\"></i>", palette, colour);
    put_text(b, text);
    cuzk_buffer_text(b, "</li>");
}

static void put_keys(cuzk_buffer *b, const cuzk_diagnosis *d, report_plot which)
{
    cuzk_buffer_text(b, "<ul class=key>");
    if (which == PLOT_INTERVALS) {
        put_key(b, 'v', 1, "slower");
        put_key(b, 'v', 2, "faster");
        put_key(b, 'v', 3, "no effect seen, or too noisy to tell");
    } else if (which == PLOT_PHASES) {
        report_bars bars;
        cuzk_report_bars(&bars, d);
        for (unsigned s = 0; s < bars.n_series; s++)
            put_key(b, 's', s + 1, bars.series[s]);
    } else {
        report_curves curves;
        cuzk_report_curves(&curves, d);
        for (unsigned i = 0; i < curves.n; i++) {
            char name[64], text[80];
            cuzk_diagnosis_config_name(name, d, curves.config[i]);
            snprintf(text, sizeof text, "%s on", name);
            put_key(b, 's', i + 1, text);
        }
    }
    cuzk_buffer_text(b, "</ul>");
}

/* False: gnuplot did not draw. */
static bool put_figure(cuzk_buffer *b, const cuzk_diagnosis *d, report_plot which,
                       const char *title, const char *caption)
{
    cuzk_buffer svg = {0};
    bool ok = cuzk_report_plot(&svg, d, which) && !svg.failed;
    if (ok) {
        cuzk_buffer_printf(b, "<h2>%s</h2>\n<figure role=img aria-label=\"%s\">\n", title, caption);
        cuzk_buffer_put(b, svg.text, svg.n);
        put_keys(b, d, which);
        cuzk_buffer_printf(b, "<figcaption>%s</figcaption></figure>\n", caption);
    }
    cuzk_buffer_fini(&svg);
    return ok;
}

static bool has_curves(const cuzk_diagnosis *d)
{
    report_curves c;
    cuzk_report_curves(&c, d);
    return c.n > 0;
}

static void put_figures(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    bool ok = put_figure(b, d, PLOT_INTERVALS, "What each switch does",
                         "Difference a run with its interval. The band is what is of no interest.");
    ok = ok && put_figure(b, d, PLOT_PHASES, "Where the time goes",
                          "Medians of the phases, by what is on.");
    if (ok && has_curves(d))
        put_figure(b, d, PLOT_MEMORY, "Memory", "Resident set during one run.");
    if (!ok)
        cuzk_buffer_text(b, "<p class=meta>The plots are left out: gnuplot is not installed here, "
                            "or failed. The tables say the same.</p>\n");
}

/* ---- how sure ---- */

static void put_quality(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    const cuzk_diagnosis_quality *q = &d->quality;
    cuzk_buffer_printf(
        b,
        "<h2>How sure this is</h2>\n<p>%" PRIu64
        " blocks of %u runs, each block in an order of its "
        "own (seed %" PRIu64 "), %.0f s in all. A run with nothing on takes %.1f ms and varies by "
        "%.1f %%; the same again differs by %+.2f %%, which is what no difference looks like. "
        "Effects are known within %.2f %% of a run; %.2f %% was asked for%s. Differences below "
        "%.1f %% are of no interest. Accusing anybody in a build without differences has a chance "
        "of at most 1 in 1000.</p>\n",
        q->n_blocks, d->plan.n_configs, d->plan.seed, d->seconds, q->run_ms, 100 * q->noise,
        100 * q->twin, 100 * q->precision, 100 * d->precision,
        q->precise_enough ? "" : ", and not reached: the machine was too noisy, or time was up",
        100 * d->smallest);
}

static void put_config(cuzk_buffer *b, const cuzk_diagnosis *d, unsigned c)
{
    char name[64];
    cuzk_diagnosis_config_name(name, d, c);
    cuzk_buffer_text(b, "<tr><th scope=row>");
    put_text(b, name);
    cuzk_buffer_printf(b, "%s</th>", c == 1 ? " (again)" : "");
    for (unsigned m = 0; m < d->n_metrics; m++)
        cuzk_buffer_printf(b, "<td class=n>%.1f</td>", cuzk_diagnosis_median_ms(d, c, m));
    cuzk_buffer_printf(b, "<td class=n>%.1f</td></tr>\n", cuzk_diagnosis_median_kb(d, c) / 1024);
}

static void put_configs(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    cuzk_buffer_text(b, "<details><summary>Medians of all configurations, ms</summary>\n"
                        "<div class=scroll><table><thead><tr><th>on");
    for (unsigned m = 0; m < d->n_metrics; m++) {
        cuzk_buffer_text(b, "<th class=n>");
        put_text(b, d->metric[m]);
    }
    cuzk_buffer_text(b, "<th class=n>MiB</tr></thead><tbody>\n");
    for (unsigned c = 0; c < d->plan.n_configs; c++)
        put_config(b, d, c);
    cuzk_buffer_text(b, "</tbody></table></div></details>\n");
}

static void put_switches(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    cuzk_buffer_text(b, "<details><summary>What the switches do</summary><dl>\n");
    for (unsigned i = 0; i < d->plan.n_switches; i++) {
        cuzk_buffer_text(b, "<dt><b>");
        put_text(b, d->switch_name[i]);
        cuzk_buffer_text(b, "</b></dt><dd>");
        put_text(b, d->switch_about[i]);
        cuzk_buffer_text(b, "</dd>\n");
    }
    cuzk_buffer_text(b, "</dl></details>\n");
}

/* ---- page ---- */

static void put_head(cuzk_buffer *b, const cuzk_diagnosis *d)
{
    cuzk_buffer_text(b, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
                        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
                        "<title>cuzk diagnose: ");
    put_text(b, d->workload);
    cuzk_buffer_printf(b, "</title>\n<style>\n%s</style></head><body><main>\n", style);
    cuzk_buffer_text(b, "<h1>cuzk diagnose: ");
    put_text(b, d->workload);
    cuzk_buffer_text(b, "</h1>\n<p class=answer>");
    put_text(b, d->answer);
    cuzk_buffer_printf(b, "</p>\n<p class=meta>%s time; ",
                       strcmp(d->clock, "cpu") == 0 ? "Processor" : "Wall");
    put_text(b, d->machine);
    cuzk_buffer_text(b, "; load average at the begin ");
    put_text(b, d->load[0] ? d->load : "not known");
    cuzk_buffer_text(b, "; ");
    put_text(b, d->program);
    cuzk_buffer_text(b, "</p>\n");
}

cuzk_status cuzk_diagnosis_write_html(const cuzk_diagnosis *d, const char *path, cuzk_err *err)
{
    cuzk_buffer b = {0};
    put_head(&b, d);
    put_verdicts(&b, d);
    put_figures(&b, d);
    put_quality(&b, d);
    put_configs(&b, d);
    put_switches(&b, d);
    cuzk_buffer_text(&b, "</main></body></html>\n");
    cuzk_status st = b.failed ? cuzk_fail(err, CUZK_NOMEM, 0, "%s: no memory", path)
                              : cuzk_file_write(path, b.text, b.n, err);
    cuzk_buffer_fini(&b);
    return st;
}
