#!/usr/bin/python3
"""The soak: clients of every manner against one daemon, and afterwards the books must balance.

    soak.py --cuzk PROGRAM --params DIR [--minutes M] [--kinds winning-2k,...] [--verifier PROGRAM] [--seed N]

Clients prove over gRPC, vanish (killed, closed, reset), cancel, repeat ids at the same time, send other content
under a running id, set deadlines, send what is wrong. Meanwhile parameters are evicted and preloaded, the log is
rotated by SIGHUP with another level, status and metrics are read, and sockets speak garbage. Every half minute all
pause: each job since the last pause must be answered again with the same bytes, nothing may be held, and memory
and descriptors are written down.

Proofs are made with random r and s, so two jobs with the same bytes would be a mix-up; each is verified by
`cuzk verify`. Prints one line a pause and a summary; exit code 1 if anything was wrong.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import queue
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import Client, Daemon, prove_request, read_request

WEIGHTS = {"winning-2k": 8, "window-2k-1": 8, "window-2k-3-v1": 4, "update-2k": 2, "porep-2k-a": 1}
CIRCUITS = {"winning-2k": "winning-2k", "window-2k-1": "wpost-2k", "window-2k-3-v1": "wpost-2k", "update-2k": "snap-2k",
            "porep-2k-a": "porep-2k"}
COMPLETED, FAILED, CANCELLED = 1, 2, 3
N_CLIENTS = 6
PAUSE_EVERY = 30  # seconds


class Books:
    """What the clients saw. Guarded by lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seen = {}  # id -> (status, proof) of jobs since the last pause
        self.count = collections.Counter()
        self.digests = {}  # of a proof -> its id
        self.problems = []
        self.to_verify = queue.Queue()
        self.status_ms = []

    def problem(self, text):
        with self.lock:
            self.problems.append(text)
        print(f"PROBLEM {text}", flush=True)

    def ended(self, name, result):
        """A job's only end: counted, its proof looked at."""
        with self.lock:
            assert result.job_id not in self.seen, f"{result.job_id} ended twice"
            self.seen[result.job_id] = (result.status, result.proof)
            self.count[{COMPLETED: "completed", FAILED: "failed", CANCELLED: "cancelled"}[result.status]] += 1
        if result.status == COMPLETED:
            digest = hashlib.sha256(result.proof).digest()
            with self.lock:
                other = self.digests.setdefault(digest, result.job_id)
            if other != result.job_id:
                self.problem(f"{result.job_id} has the proof of {other}")
            self.to_verify.put((name, result.job_id, result.proof))

    def same(self, first, second):
        if (first.status, first.proof) != (second.status, second.proof):
            self.problem(f"{first.job_id}: answered with {first.status} and then {second.status}, or other bytes")

    def forget(self, job_id):
        with self.lock:
            self.seen.pop(job_id, None)

    def add(self, what, n=1):
        with self.lock:
            self.count[what] += n


class Gate:
    """Clients enter for one scenario at a time; the pause waits until all are out."""

    def __init__(self):
        self.change = threading.Condition()
        self.open, self.inside, self.over = True, 0, False

    def enter(self):
        with self.change:
            self.change.wait_for(lambda: self.open or self.over)
            if self.over:
                return False
            self.inside += 1
            return True

    def leave(self):
        with self.change:
            self.inside -= 1
            self.change.notify_all()

    def shut(self, over=False):
        with self.change:
            self.open, self.over = False, self.over or over
            self.change.notify_all()
            self.change.wait_for(lambda: self.inside == 0)

    def reopen(self):
        with self.change:
            self.open = True
            self.change.notify_all()


class Soak:
    def __init__(self, args, work):
        self.args, self.work = args, work
        self.kinds = args.kinds.split(",")
        self.requests = {k: read_request(k) for k in self.kinds}
        self.random = random.Random(args.seed)  # clients take their own from it
        self.books, self.gate = Books(), Gate()
        self.next_id = 0
        self.config = work / "cuzk.toml"
        self.write_config("info")
        self.daemon = Daemon(args.cuzk, work, args.params, "--config", str(self.config), "--memory", args.memory,
                             "--set", "memory.eviction_min_idle=0", "--set", "daemon.max_results=500",
                             "--set", "logging.memory_interval=0", "--grace", "600")
        self.rest = []  # (seconds, RSS in KB, descriptors, KB that cuzk's allocator has given out)
        self.curve = open(work / "rss.csv", "w")
        self.log_levels = 0

    # ---- small things ----

    def write_config(self, level):
        self.config.write_text(f'[logging]\nlevel = "{level}"\n')

    def new_id(self):
        with self.books.lock:
            self.next_id += 1
            return f"soak-{self.next_id}"

    def pick(self, rng):
        return rng.choices(self.kinds, [WEIGHTS[k] for k in self.kinds])[0]

    def connect(self, rng):
        return Client(rng.choice((self.daemon.unix, "dns:///" + self.daemon.tcp)))

    # ---- what a client does: (client, rng) ----

    def plain(self, client, rng):
        name = self.pick(rng)
        self.books.ended(name, client.prove(self.new_id(), self.requests[name]))

    def submit_and_await(self, client, rng):
        name, job = self.pick(rng), self.new_id()
        fields = dict(self.requests[name], priority=rng.randint(1, 4))
        client.SubmitProof(prove_request(job, fields).submit, timeout=600)
        r = client.AwaitProof(harness.pb.AwaitProofRequest(job_id=job, timeout_ms=1), timeout=600)
        while r.status == r.TIMEOUT:
            r = client.AwaitProof(harness.pb.AwaitProofRequest(job_id=job, timeout_ms=rng.randint(1, 3000)), timeout=600)
        self.books.ended(name, r)

    def vanish(self, client, rng):
        """The connection goes in the middle, or the stream; the second try gets the one result."""
        name, job = self.pick(rng), self.new_id()
        other = self.connect(rng)
        future = other.Prove.future(prove_request(job, self.requests[name]))
        time.sleep(rng.choice((0, 0.01, rng.random())))
        if rng.random() < 0.5:
            future.cancel()
        other.close()
        self.books.add("vanished")
        self.books.ended(name, client.prove(job, self.requests[name]))

    def killed(self, client, rng):
        """A client that is a process of its own and is killed."""
        name, job = self.pick(rng), self.new_id()
        argv = [self.args.verifier, "submit", f"tests/data/{name}", "--id", job, "--address", self.daemon.unix]
        first = subprocess.Popen(argv + ["--out", "/dev/null"], cwd=harness.ROOT, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(rng.random())
        first.kill()
        first.wait()
        self.books.add("vanished")
        out = self.work / f"{job}.proof"
        done = subprocess.run(argv + ["--out", str(out)], cwd=harness.ROOT, capture_output=True, text=True)
        r = client.wait(job)
        self.books.ended(name, r)
        if done.returncode != 0 or out.read_bytes() != r.proof:
            self.books.problem(f"{job}: cuzk submit ended with {done.returncode}: {done.stderr[:200]}")
        out.unlink(missing_ok=True)

    def cancel(self, client, rng):
        name, job = self.pick(rng), self.new_id()
        client.SubmitProof(prove_request(job, self.requests[name]).submit, timeout=600)
        time.sleep(rng.choice((0, 0.05, rng.random())))
        CancelRequest = harness.pb.CancelProofRequest
        client.CancelProof(CancelRequest(job_id=job), timeout=60)
        r = client.wait(job)
        if client.CancelProof(CancelRequest(job_id=job), timeout=60).was_running:
            self.books.problem(f"{job}: runs after its end")
        self.books.ended(name, r)
        if r.status == r.CANCELLED and rng.random() < 0.3:  # and once more, under the same id
            self.books.forget(job)
            self.books.ended(name, client.prove(job, self.requests[name]))

    def repeat(self, client, rng):
        """The same id and content three times at once, over two connections."""
        name, job = self.pick(rng), self.new_id()
        request = prove_request(job, self.requests[name])
        other = self.connect(rng)
        futures = [c.Prove.future(request, timeout=3600) for c in (client, other, client)]
        results = [f.result().result for f in futures]
        other.close()
        self.books.ended(name, results[0])
        for r in results[1:] + [client.wait(job)]:
            self.books.same(results[0], r)

    def conflict(self, client, rng):
        """Other content under an id: refused while the first runs, a new job when it has ended."""
        name, job = self.pick(rng), self.new_id()
        client.SubmitProof(prove_request(job, self.requests[name]).submit, timeout=600)
        fields = dict(self.requests[name], miner_id=1000 if self.requests[name]["miner_id"] != 1000 else 1001)
        try:
            client.SubmitProof(prove_request(job, dict(fields, priority=1)).submit, timeout=600)
        except harness.grpc.RpcError as e:
            reason = dict(e.trailing_metadata()).get("cuzk-reason")
            if reason not in ("EXISTS", "INVAL"):
                self.books.problem(f"{job}: other content gave {e.code()} {e.details()}")
            self.books.add("refused " + reason)
        else:
            self.books.problem(f"{job}: other content under a waiting or running id was accepted")
        self.books.ended(name, client.wait(job))

    def deadline(self, client, rng):
        name, job = self.pick(rng), self.new_id()
        try:
            client.prove(job, self.requests[name], timeout=rng.choice((0.02, 0.3)))
        except harness.grpc.RpcError as e:
            if e.code() != harness.grpc.StatusCode.DEADLINE_EXCEEDED:
                self.books.problem(f"{job}: a short deadline gave {e.code()} {e.details()}")
        self.books.ended(name, client.prove(job, self.requests[name]))

    def late(self, client, rng):
        self.refused(client, dict(self.requests[self.pick(rng)], deadline_unix_ms=1), "TIMEOUT")

    def wrong(self, client, rng):
        name = self.pick(rng)
        change, reason = rng.choice((({"proof_kind": 99}, "INVAL"), ({"priority": 77}, "INVAL"),
                                     ({"vanilla_proof": b"[", "vanilla_proofs": []}, None)))
        self.refused(client, {**self.requests[name], **change}, reason)

    def refused(self, client, fields, want):
        try:
            client.prove(self.new_id(), fields)
        except harness.grpc.RpcError as e:
            reason = dict(e.trailing_metadata()).get("cuzk-reason")
            if reason not in ((want,) if want else ("INVAL", "ENCODING")):
                self.books.problem(f"{want} was to be, {e.code()} {e.details()} is")
            self.books.add("refused " + str(reason))
        else:
            self.books.problem("a wrong request was accepted")

    def failing(self, client, rng):
        """A job that cannot be proved: randomness that the vanilla proofs were not made for."""
        name = rng.choice([k for k in self.kinds if k.startswith("w")])
        r = client.prove(self.new_id(), dict(self.requests[name], randomness=bytes([rng.randint(1, 200)]) + bytes(31)))
        if r.status != FAILED or not r.error_message.startswith("UNSATISFIED: "):
            self.books.problem(f"{r.job_id}: other randomness: status {r.status}, {r.error_message}")
        self.books.ended(name, r)

    SCENARIOS = ((plain, 6), (submit_and_await, 4), (vanish, 4), (killed, 1), (cancel, 4), (repeat, 3), (conflict, 2),
                 (deadline, 3), (late, 1), (wrong, 2), (failing, 2))

    # ---- threads ----

    def client_loop(self, seed):
        rng, client = random.Random(seed), None
        while self.gate.enter():
            scenario = rng.choices([s for s, _ in self.SCENARIOS], [w for _, w in self.SCENARIOS])[0]
            try:
                client = client or self.connect(rng)
                scenario(self, client, rng)
                self.books.add(scenario.__name__)
                if rng.random() < 0.1:
                    client = client.close()
            except Exception as e:  # a broken client is a finding; the others go on
                self.books.problem(f"{scenario.__name__}: {type(e).__name__} {e}")
            finally:
                self.gate.leave()
        if client:
            client.close()

    def loop(self, what, low, high):
        """what(client, rng) now and then, never in a pause."""
        rng, client = random.Random(what.__name__), None
        while self.gate.enter():
            try:
                client = client or self.connect(rng)
                what(client, rng)
            except Exception as e:
                self.books.problem(f"{what.__name__}: {type(e).__name__} {e}")
            finally:
                self.gate.leave()
            time.sleep(rng.uniform(low, high))
        if client:
            client.close()

    def poll(self, client, _):
        begin = time.perf_counter()
        client.status()
        self.books.status_ms.append(1000 * (time.perf_counter() - begin))
        self.curve.write(f"{int(time.time() * 1000)},{self.daemon.proc_status('VmRSS')}\n")

    def evict(self, client, rng):
        circuit = CIRCUITS[self.pick(rng)]
        if rng.random() < 0.7:
            r = client.EvictSRS(harness.pb.EvictSrsRequest(circuit_id=circuit), timeout=60)
            self.books.add("evicted" if r.freed_bytes else "not evicted")
        else:
            client.PreloadSRS(harness.pb.PreloadSrsRequest(circuit_id=circuit), timeout=600)
            self.books.add("preloaded")

    def reload(self, _, rng):
        """The log goes elsewhere, with another level."""
        self.write_config(rng.choice(("info", "debug", "warn")))
        self.scan_log()
        self.daemon.log.rename(self.work / "log.old")
        self.daemon.process.send_signal(signal.SIGHUP)
        end = time.time() + 60
        while not self.daemon.log.exists():
            assert time.time() < end, "no new log 60 s after SIGHUP"
            time.sleep(0.05)
        self.books.add("reloads")

    def scan_log(self):
        for line in open(self.daemon.log, errors="replace"):
            if " error " in line or "watchdog" in line:
                self.books.problem("log: " + line.strip()[:300])

    def scrape(self, _, __):
        new, old = self.work / "page", self.work / "page.old"
        if new.exists():
            new.rename(old)
        new.write_text(self.daemon.page("/metrics"))
        done = subprocess.run([sys.executable, str(harness.ROOT / "tests/promcheck.py"), str(new)] +
                              ([str(old)] if old.exists() else []), capture_output=True, text=True)
        if done.returncode:
            self.books.problem("metrics: " + done.stderr.strip()[-300:])
        self.books.add("scrapes")

    def garbage(self, _, rng):
        host, port = self.daemon.tcp.split(":")
        with socket.create_connection((host, int(port)), timeout=10) as s:
            s.sendall(rng.choice((b"GET / HTTP/1.1\r\n\r\n", rng.randbytes(2000), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"")))
            if rng.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.books.add("garbage")

    def verify_loop(self):
        while (item := self.books.to_verify.get()) is not None:
            name, job, proof = item
            path = self.work / "verify.proof"
            path.write_bytes(proof)
            done = subprocess.run([self.args.verifier, "verify", str(harness.ROOT / "tests/data" / name), str(path),
                                   "--params", self.args.params], capture_output=True, text=True)
            if done.returncode:
                self.books.problem(f"{job}: the proof is not valid: {done.stderr[:200]}")
            self.books.add("verified")

    # ---- the pause ----

    def pause(self, begin):
        """All clients out, parameters evicted: what is held now should be what was held at the last pause."""
        client = Client(self.daemon.unix)
        with self.books.lock:
            seen, self.books.seen = self.books.seen, {}
        for job, (status, proof) in seen.items():
            r = client.wait(job, timeout=60)
            if (r.status, r.proof) != (status, proof):
                self.books.problem(f"{job}: kept with status {r.status}, was {status}; or other bytes")
        for circuit in sorted(set(CIRCUITS.values())):
            client.EvictSRS(harness.pb.EvictSrsRequest(circuit_id=circuit), timeout=60)
        client.close()
        time.sleep(1)
        self.balance()
        rss, fds = self.daemon.proc_status("VmRSS"), self.daemon.n_descriptors()
        own = self.daemon.metrics().get("cuzk_allocated_bytes", 0)
        self.rest.append((time.time() - begin, rss, fds, own / 1024))
        c = self.books.count
        print(f"{time.time() - begin:5.0f} s: {c['completed']} completed, {c['failed']} failed, {c['cancelled']} cancelled, "
              f"{c['vanished']} vanished, {c['evicted']} evictions, {c['reloads']} reloads; at rest {rss / 1024:.0f} MiB, "
              f"{own / 1024:.0f} KiB of them allocated by cuzk, {fds} descriptors, {self.daemon.proc_status('Threads')} threads", flush=True)

    def balance(self):
        """The daemon's counters against the clients'."""
        m, c = self.daemon.metrics(), self.books.count

        def total(family, label=""):
            return sum(v for k, v in m.items() if k.split("{")[0] == family and label in k)

        for what in ("completed", "failed", "cancelled"):
            if total(f"cuzk_jobs_{what}_total") != c[what]:
                self.books.problem(f"{what}: the daemon says {total(f'cuzk_jobs_{what}_total'):.0f}, clients {c[what]}")
        for reason in ("INVAL", "ENCODING", "EXISTS", "TIMEOUT"):
            got = total("cuzk_refused_requests_total", f'reason="{reason}"')
            late = reason == "TIMEOUT" and got >= c["refused TIMEOUT"]  # also calls that arrived too late
            if got != c["refused " + reason] and not late:
                self.books.problem(f"refused {reason}: the daemon says {got:.0f}, clients {c['refused ' + reason]}")
        for name in ("cuzk_jobs_pending", "cuzk_jobs_running", "cuzk_memory_waiting", "cuzk_srs_references"):
            if total(name) != 0:
                self.books.problem(f"at rest {name} is {total(name):.0f}")
        for use in ("partition", "payload", "srs"):
            if total("cuzk_memory_reserved_bytes", f'use="{use}"') != 0:
                self.books.problem(f"at rest {use} holds {total('cuzk_memory_reserved_bytes', use):.0f} bytes")
        if total("cuzk_memory_reserved_bytes") != total("cuzk_memory_used_bytes"):
            self.books.problem("the parts of the budget are not its whole")

    # ---- all of it ----

    def run(self):
        self.daemon.start(600)
        client = Client(self.daemon.unix)
        for name in self.kinds:  # so that every circuit is compiled before the first look at the memory
            self.books.ended(name, client.prove(self.new_id(), self.requests[name]))
        client.close()
        time.sleep(1)
        n_open = self.daemon.n_descriptors()
        begin, end = time.time(), time.time() + 60 * self.args.minutes
        self.curve.write("epoch_ms,rss_kb\n")
        threads = [threading.Thread(target=self.client_loop, args=(self.random.random(),)) for _ in range(N_CLIENTS)]
        for what, low, high in ((self.poll, 0.1, 0.3), (self.evict, 0.5, 3), (self.reload, 2, 6), (self.scrape, 3, 5),
                                (self.garbage, 0.2, 2)):
            threads.append(threading.Thread(target=self.loop, args=(what, low, high)))
        verifiers = [threading.Thread(target=self.verify_loop)]
        for t in threads + verifiers:
            t.start()
        while time.time() < end:
            time.sleep(max(1, min(PAUSE_EVERY, end - time.time())))
            self.gate.shut(over=time.time() >= end)
            self.pause(begin)
            self.gate.reopen()
        self.gate.shut(over=True)
        for t in threads:
            t.join()
        self.books.to_verify.put(None)
        verifiers[0].join()
        self.curve.close()
        time.sleep(1)
        left = self.daemon.n_descriptors()
        print(f"descriptors: {n_open} before the clients came, {left} when they had gone")
        if left > n_open:
            self.books.problem("descriptors are left")
        peak = self.daemon.proc_status("VmHWM")
        code = self.daemon.stop()
        if code != 0:
            self.books.problem(f"the daemon's exit code after SIGTERM is {code}")
        self.scan_log()
        self.sanitizers()
        return self.summary(peak)

    def sanitizers(self):
        self.daemon.stderr.flush()
        text = (self.work / "stderr").read_text(errors="replace")
        for mark in ("ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:"):
            if mark in text:
                self.books.problem(f"{text.count('SUMMARY: ')} reports of {mark} on stderr:\n{text[:4000]}")

    def summary(self, peak_kb):
        c, b = self.books.count, self.books
        if c["verified"] != c["completed"] or not c["completed"]:
            b.problem(f"{c['completed']} proofs, {c['verified']} verified")
        rest = self.rest[min(self.args.warm_up, len(self.rest) // 2):]
        if len(rest) >= 2:
            t, kb = [r[0] for r in rest], [r[1] for r in rest]
            jobs_per_s = (c["completed"] + c["failed"] + c["cancelled"]) / self.rest[-1][0]
            mt, mk = statistics.mean(t), statistics.mean(kb)
            slope = sum((x - mt) * (y - mk) for x, y in zip(t, kb)) / sum((x - mt) ** 2 for x in t)
            print(f"memory at rest, after warm-up: {min(kb) / 1024:.1f} to {max(kb) / 1024:.1f} MiB in {len(rest)} pauses; "
                  f"slope {slope * 60:+.0f} KB a minute, {slope / jobs_per_s:+.1f} KB a job; peak {peak_kb / 1024:.0f} MiB")
            growth = statistics.median(kb[-3:]) - statistics.median(kb[:3])
            if self.args.max_growth and growth > 1024 * self.args.max_growth:
                b.problem(f"memory at rest grew by {growth / 1024:.0f} MiB, {self.args.max_growth} are allowed")
        ms = sorted(b.status_ms)
        print(f"GetStatus: {len(ms)} calls, p50 {ms[len(ms) // 2]:.1f} ms, p99 {ms[int(len(ms) * 0.99)]:.1f} ms")
        print("counts: " + ", ".join(f"{k} {v}" for k, v in sorted(c.items())))
        print(f"{len(b.problems)} problems")
        return 1 if b.problems else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cuzk", required=True)
    p.add_argument("--params", required=True)
    p.add_argument("--minutes", type=float, default=10)
    p.add_argument("--kinds", default=",".join(WEIGHTS))
    p.add_argument("--verifier", help="a cuzk that verifies and submits; default: the one that serves")
    p.add_argument("--memory", default="2600MiB", help="the daemon's budget: less than all parameters need")
    p.add_argument("--warm-up", type=int, default=2, help="pauses that do not count for the slope")
    p.add_argument("--max-growth", type=int, default=0, help="MiB from the first to the last pauses; 0: any")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep", action="store_true", help="keep the folder with the log")
    args = p.parse_args()
    args.verifier = args.verifier or args.cuzk
    work = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-soak."))
    harness.load_messages(work)
    soak = Soak(args, work)
    code = 1
    try:
        code = soak.run()
    finally:
        soak.daemon.kill()
        if code == 0 and not args.keep:
            subprocess.run(["rm", "-rf", str(work)])
        else:
            print(f"left: {work}")
    sys.stdout.flush()
    os._exit(code)  # threads that still wait must not keep a failed soak


main()
