#!/usr/bin/python3
"""Bad and surprising requests over gRPC, against a daemon with real 2 KiB parameters for PoSt: wire_cases.py CUZK PARAMS WORK.

Rows: name, request of tests/data, what is changed, what must come of it, what its message must match. The
outcomes: accepted (and cancelled: proofs of that kind take long), completed (with the golden bytes), a name of a
status (the call is refused with it), "job " and a name (the job fails with it). After all of them good jobs pass
and nothing is held. Prints PASS and FAIL lines.
"""
import json
import os
import pathlib
import re
import sys
import time
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import harness
from harness import Client, Daemon, golden, prove_request, read_request

C1 = read_request("porep-2k-a")["vanilla_proof"]
WINDOW = read_request("window-2k-3-v1")["vanilla_proofs"]
ONE = read_request("window-2k-1")["vanilla_proofs"]
WINNING = read_request("winning-2k")["vanilla_proofs"]
UPDATE = read_request("update-2k")
ZERO = bytes(32)
COMPLETED = 1


def spoilt(blob, at=-40):
    b = bytearray(blob)
    b[at] ^= 1
    return bytes(b)


def sealed(b):
    return bytes.fromhex("0182e20381e80220") + b


def unsealed(b):
    return bytes.fromhex("0181e203922020") + b


SWAPPED = {"comm_r_old": UPDATE["comm_r_new"], "comm_r_new": UPDATE["comm_r_old"]}
BAD = "INVAL|ENCODING"
CASES = [
    ("A01 blanks after the C1", "porep-2k-a", {"vanilla_proof": C1 + b"\n  "}, "accepted", ""),
    ("A01 a brace after the C1", "porep-2k-a", {"vanilla_proof": C1 + b"}"}, BAD, r"byte \d+"),
    ("A01 a second document", "porep-2k-a", {"vanilla_proof": C1 + C1}, BAD, r"byte \d+"),
    ("A01 a NUL after the C1", "porep-2k-a", {"vanilla_proof": C1 + b"\0"}, BAD, r"byte \d+"),
    ("A09 an empty C1", "porep-2k-a", {"vanilla_proof": b""}, BAD, "vanilla_proof"),
    ("A09 no vanilla proofs", "window-2k-1", {"vanilla_proofs": []}, BAD, "vanilla_proofs"),
    ("A09 an empty vanilla proof", "window-2k-1", {"vanilla_proofs": [b""]}, BAD, "vanilla_proofs|empty"),
    ("A09 both fields", "window-2k-1", {"vanilla_proof": b"x"}, BAD, "vanilla_proof"),
    ("A11 a partition too many", "update-2k", {"vanilla_proofs": UPDATE["vanilla_proofs"] * 2}, BAD, "1.*2|2.*1"),
    ("A15 CIDs", "update-2k", {"comm_r_old": sealed(UPDATE["comm_r_old"]), "comm_r_new": sealed(UPDATE["comm_r_new"]),
                               "comm_d_new": unsealed(UPDATE["comm_d_new"])}, "accepted", ""),
    ("A15 31 bytes", "update-2k", {"comm_r_old": UPDATE["comm_r_old"][:31]}, BAD, "comm_r_old.*31"),
    ("A15 33 bytes", "update-2k", {"comm_r_new": UPDATE["comm_r_new"] + b"\0"}, BAD, "comm_r_new.*33"),
    ("A15 a CID as text", "update-2k", {"comm_r_new": b"bagboea4b5abcb" + bytes(50)}, BAD, "comm_r_new"),
    ("A15 a sealed CID as comm_d", "update-2k", {"comm_d_new": sealed(UPDATE["comm_d_new"])}, BAD, "comm_d_new"),
    ("A15 swapped", "update-2k", SWAPPED, "job UNSATISFIED", "comm_r"),
    ("A16 no randomness", "winning-2k", {"randomness": b""}, BAD, "randomness"),
    ("A16 31 bytes", "winning-2k", {"randomness": bytes(31)}, BAD, "randomness.*31"),
    ("A16 33 bytes", "winning-2k", {"randomness": bytes(33)}, BAD, "randomness.*33"),
    ("A16 zero", "winning-2k", {"randomness": ZERO}, "job UNSATISFIED", "sector 1"),
    ("A16 one bit", "winning-2k", {"randomness": b"\2" + b"\3" * 31}, "job UNSATISFIED", "sector 1"),
    ("A16 not below r", "winning-2k", {"randomness": b"\3" * 31 + b"\xff"}, BAD + "|job UNSATISFIED|completed", ""),
    ("A21 one faulty sector", "window-2k-3-v1", {"vanilla_proofs": [WINDOW[0], spoilt(WINDOW[1]), WINDOW[2]]},
     "job UNSATISFIED", r"faulty_sectors=\[13\]"),
    ("A21 all faulty", "window-2k-3-v1", {"vanilla_proofs": [spoilt(w) for w in WINDOW]}, "job UNSATISFIED",
     r"faulty_sectors=\[10,13,16\]"),
    ("A21 a sector twice", "window-2k-3-v1", {"vanilla_proofs": [WINDOW[0], WINDOW[1], WINDOW[1]]}, BAD, "13"),
    ("A22 half a partition", "window-2k-1", {}, "completed", ""),
    ("A22 three sectors", "window-2k-3-v1", {}, "completed", ""),
    ("A22 index 1", "window-2k-3-v1", {"partition_index": 1}, "job UNSATISFIED", "10,13,16"),
    ("A22 index 2^32-1", "window-2k-3-v1", {"partition_index": 2**32 - 1}, BAD + "|job UNSATISFIED", ""),
    ("A23 another partition's sectors", "window-2k-3-v1", {"partition_index": 1, "vanilla_proofs": WINDOW[:2]},
     "job UNSATISFIED", r"faulty_sectors=\[10,13\]"),
    ("A23 wrong order", "window-2k-3-v1", {"vanilla_proofs": [WINDOW[1], WINDOW[0], WINDOW[2]]}, BAD + "|job UNSATISFIED", ""),
    ("A26 no vanilla proof", "winning-2k", {"vanilla_proofs": []}, BAD, "vanilla_proofs"),
    ("A26 two", "winning-2k", {"vanilla_proofs": WINNING * 2}, BAD, "2"),
    ("A26 one of a WindowPoSt", "winning-2k", {"vanilla_proofs": ONE}, BAD, "10|66|challenge"),
]


def outcome(client, name, fields, accepted):
    """(what came of it, the message)"""
    try:
        if accepted:
            job = client.SubmitProof(prove_request(name, fields).submit, timeout=60).job_id
            client.CancelProof(harness.pb.CancelProofRequest(job_id=job), timeout=60)
            client.wait(job)
            return "accepted", ""
        r = client.prove(name, fields, timeout=300)
    except harness.grpc.RpcError as e:
        return dict(e.trailing_metadata()).get("cuzk-reason", str(e.code())), e.details()
    if r.status == r.COMPLETED:
        return "completed", r.proof
    return "job " + r.error_message.split(":")[0], r.error_message


def judge(client, row):
    name, base, change, want, pattern = row
    got, text = outcome(client, name, {**read_request(base), **change}, want == "accepted")
    good = got in want.split("|")
    if got == "completed":
        good = good and (bool(change) or text == golden(base))
    elif good:
        good = re.search(pattern, text) is not None
    print(f"{'PASS' if good else 'FAIL'} {name}: {got}" + ("" if good else f", wanted {want} /{pattern}/: {text}"), flush=True)
    return good


def other_content(client):
    """D02: other content under the id of a job of two partitions that waits or runs."""
    first = prove_request("D02", read_request("window-2k-3-v1"))
    future = client.Prove.future(first, timeout=300)
    client.SubmitProof(first.submit, timeout=60)
    got, text = outcome(client, "D02", read_request("window-2k-1"), False)
    good = got == "EXISTS" and future.result().result.proof == golden("window-2k-3-v1")
    return check("D02 other content under a running id", good, f"{got}: {text}")


def quiet_log(cuzk, params, work):
    """G14: at level debug, a job of 50 MB whose payload and randomness would be seen; and one that is proved."""
    daemon = Daemon(cuzk, work, params, "--log-level", "debug", "--log-format", "json").start()
    client = Client(daemon.unix)
    at = daemon.log.stat().st_size
    text = C1 + b" " * (50_000_000 - len(C1))
    good = judge(client, ("G14 50 MB", "porep-2k-a", {"vanilla_proof": text}, "accepted", ""))
    good &= client.prove("G14", read_request("winning-2k")).status == COMPLETED
    client.close()
    good &= daemon.stop() == 0
    lines = daemon.log.read_bytes()[at:].split(b"\n")[:-1]
    parsed = [json.loads(line) for line in lines]
    secret = [s for s in (b"vanilla_proofs", b"comm_d_proofs", b"03" * 16, C1[1000:1030]) if s in b"\n".join(lines)]
    return check("G14 no payload, short lines, JSON", good and not secret and max(map(len, lines)) < 4096,
                 f"{len(parsed)} lines; {secret}")


def held(daemon):
    m = daemon.metrics()
    return {k: m[k] for k in ("cuzk_jobs_running", "cuzk_memory_waiting") if k in m} | {
        k: v for k, v in m.items() if k.startswith("cuzk_memory_reserved_bytes") and ("partition" in k or "payload" in k)}


def check(name, good, text=""):
    print(f"{'PASS' if good else 'FAIL'} {name}{': ' + text if text else ''}", flush=True)
    return good


def readiness(daemon):
    try:
        return daemon.page("/readyz")
    except urllib.error.HTTPError as e:
        return e.read().decode()


def ends_while_loading(cuzk, params, work):
    """C01: SIGTERM while 1 GB of parameters load."""
    daemon = Daemon(cuzk, work, params, "--preload", "porep-2k", "--set", "srs.verdict_cache_dir=none").start()
    text, begin = readiness(daemon), time.time()
    code = daemon.stop()
    seconds = time.time() - begin
    return check("C01 SIGTERM while parameters load", code == 0 and "loading" in text and seconds < 5,
                 f"{text.strip()}; exit code {code} after {seconds:.1f} s")


def main():
    cuzk, params, work = sys.argv[1:4]
    harness.load_messages(work)
    daemon = Daemon(cuzk, work, params, "--insecure-test-rs")
    try:
        daemon.start()
        client = Client(daemon.unix)
        good = judge(client, ("before", "winning-2k", {}, "completed", ""))
        before, fds = held(daemon), daemon.n_descriptors()
        good &= all([judge(client, row) for row in CASES])
        good &= other_content(client)
        good &= judge(client, ("after", "winning-2k", {}, "completed", ""))
        good &= check("nothing is held", held(daemon) == before, str(held(daemon)))
        good &= check("no descriptor is left", daemon.n_descriptors() <= fds + 1, f"{fds}, {daemon.n_descriptors()}")
        client.close()
        good &= check("exit code", daemon.stop() == 0)
        good &= quiet_log(cuzk, params, work)
        if any("stacked-proof" in f for f in os.listdir(params)):
            good &= ends_while_loading(cuzk, params, work)
    finally:
        daemon.kill()
    return 0 if good else 1


sys.exit(main())
