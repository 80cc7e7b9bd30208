#!/usr/bin/env python3
"""Checks a page of metrics: promcheck.py FILE [EARLIER]. A strict reader of the text format 0.0.4, the
rules of `promtool check metrics`, and, with an earlier page, that no counter fell. Uses promtool as well when
it is installed."""
import math
import re
import shutil
import subprocess
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{(.*)\}})? (-?(?:[0-9.eE+-]+|\+?Inf|NaN))$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
TYPES = {"counter", "gauge", "summary", "histogram", "untyped"}


def labels_of(text):
    out, at = {}, 0
    while text and at < len(text):
        m = LABEL.match(text, at)
        assert m, f"labels: {text!r}"
        assert m.group(1) not in out, f"label twice: {text!r}"
        out[m.group(1)] = m.group(2)
        at = m.end()
    return out


def family_of(name, types):
    for suffix in ("_bucket", "_sum", "_count"):
        base = name.removesuffix(suffix)
        if base != name and types.get(base) in ("histogram", "summary"):
            return base
    return name


def parse(text):
    """{family: (type, [(name, labels, value)])}"""
    assert text.endswith("\n"), "the last line has no end"
    helps, types, families, current = {}, {}, {}, None
    for line in text.split("\n")[:-1]:
        if m := re.match(rf"# HELP ({NAME}) (.+)$", line):
            assert m.group(1) not in helps, f"HELP twice: {line}"
            helps[m.group(1)] = m.group(2)
        elif m := re.match(rf"# TYPE ({NAME}) (\w+)$", line):
            current = m.group(1)
            assert current not in types and current in helps and m.group(2) in TYPES, line
            types[current] = m.group(2)
            families[current] = (m.group(2), [])
        else:
            m = SAMPLE.match(line)
            assert m, f"not a sample: {line!r}"
            family = family_of(m.group(1), types)
            assert family == current, f"{line}: outside its family"
            families[family][1].append((m.group(1), labels_of(m.group(2)), float(m.group(3))))
    return families


def check_histogram(name, samples):
    series = {}
    for n, labels, value in samples:
        key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        series.setdefault(key, {"bucket": []})
        if n.endswith("_bucket"):
            series[key]["bucket"].append((float(labels["le"]), value))
        else:
            series[key][n.removeprefix(name)] = value
    for key, s in series.items():
        bounds = [b for b, _ in s["bucket"]]
        counts = [c for _, c in s["bucket"]]
        assert bounds == sorted(bounds) and bounds[-1] == math.inf, (name, key)
        assert counts == sorted(counts) and counts[-1] == s["_count"] and s["_sum"] >= 0, (name, key)


def check_rules(families):
    for name, (kind, samples) in families.items():
        assert (kind == "counter") <= name.endswith("_total"), f"{name}: a counter ends in _total"
        assert name.endswith("_total") <= (kind in ("counter", "untyped")), f"{name}: _total is for counters"
        assert not re.search(r"_(ms|kb|mb|gb|ns|us|milliseconds|kilobytes)(_|$)", name), f"{name}: base units"
        assert not re.search(r"(counter|gauge|histogram|summary)$", name) and ":" not in name, name
        seen = set()
        for n, labels, value in samples:
            key = (n, tuple(sorted(labels.items())))
            assert key not in seen, f"twice: {key}"
            seen.add(key)
            assert "le" not in labels or kind == "histogram", key
            assert kind == "gauge" or value >= 0, key
        if kind == "histogram":
            check_histogram(name, samples)


def counters(families):
    return {(n, tuple(sorted(labels.items()))): value for name, (kind, samples) in families.items()
            for n, labels, value in samples
            if kind in ("counter", "histogram", "summary") or name.startswith("cuzk_proofs_")}


def main():
    page = open(sys.argv[1]).read()
    families = parse(page)
    check_rules(families)
    if len(sys.argv) > 2:
        before, now = counters(parse(open(sys.argv[2]).read())), counters(families)
        for key, value in before.items():
            assert key in now and now[key] >= value, f"{key} fell from {value} to {now.get(key)}"
    if promtool := shutil.which("promtool"):
        done = subprocess.run([promtool, "check", "metrics"], input=page, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
    print(f"ok: {len(families)} families, {sum(len(s) for _, s in families.values())} samples, "
          f"{'with' if promtool else 'without'} promtool")


main()
