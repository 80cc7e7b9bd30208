#!/usr/bin/env python3
"""Fits a line through the resident memory of a CSV of `cuzk memmon`: rss_slope.py FILE [--skip SECONDS]
[--max KB_PER_HOUR] [--jobs N]. Prints slope, range and peak; fails beyond the maximum. The first seconds, in which
parameters are loaded, are left out; the fit is of the medians of 20 equal pieces, so single peaks do not count."""
import argparse
import csv
import statistics
import sys

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--skip", type=float, default=60)
parser.add_argument("--max", type=float, default=None)
parser.add_argument("--jobs", type=int, default=0)
a = parser.parse_args()
rows = [(int(r["epoch_ms"]) / 1e3, int(r["rss_kb"])) for r in csv.DictReader(open(a.file))]
rows = [r for r in rows if r[0] >= rows[0][0] + a.skip]
if len(rows) < 20:
    sys.exit(f"{a.file}: {len(rows)} samples after the first {a.skip:g} s; at least 20 are wanted")
pieces = [rows[len(rows) * i // 20:len(rows) * (i + 1) // 20] for i in range(20)]
t = [statistics.median(x for x, _ in p) for p in pieces]
kb = [statistics.median(y for _, y in p) for p in pieces]
mt, my = statistics.mean(t), statistics.mean(kb)
slope = sum((x - mt) * (y - my) for x, y in zip(t, kb)) / sum((x - mt) ** 2 for x in t)
print(f"{slope * 3600:+.0f} KB an hour over {t[-1] - t[0]:.0f} s; resident {min(kb):.0f} to {max(kb):.0f} KB, "
      f"peak {max(y for _, y in rows)} KB" +
      (f"; {slope * (rows[-1][0] - rows[0][0]) / a.jobs:+.2f} KB a job" if a.jobs else ""))
if a.max is not None and slope * 3600 > a.max:
    sys.exit(f"the maximum is {a.max:g} KB an hour")
