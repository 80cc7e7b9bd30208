#!/usr/bin/python3
"""Measures a daemon under load. PB_DIR as for check.py.

    load.py PB_DIR ADDRESS status SECONDS   GetStatus 20 times a second: percentiles (C14)
    load.py PB_DIR ADDRESS flood N PID      N SubmitProof of 1 MB to a daemon with the fake prover: what
                                            is taken, what refused, its resident memory (C13)
"""
import sys
import time

sys.path.insert(0, sys.argv[1])
import grpc
from cuzk.v1 import proving_pb2 as pb

channel = grpc.insecure_channel(sys.argv[2])


def method(name):
    return channel.unary_unary("/cuzk.v1.ProvingEngine/" + name,
                               request_serializer=getattr(pb, name + "Request").SerializeToString,
                               response_deserializer=getattr(pb, name + "Response").FromString)


def status(seconds):
    call, times = method("GetStatus"), []
    call(pb.GetStatusRequest(), timeout=5)  # the connection is not measured
    end = time.time() + seconds
    while time.time() < end:
        begin = time.perf_counter()
        call(pb.GetStatusRequest(), timeout=5)
        times.append(1000 * (time.perf_counter() - begin))
        time.sleep(0.05)
    times.sort()
    p = {q: times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.9, 0.99)}
    print(f"GetStatus: {len(times)} calls, p50 {p[0.5]:.1f} ms, p90 {p[0.9]:.1f}, p99 {p[0.99]:.1f}, max {times[-1]:.1f}")
    return p[0.99] < 50


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) / 1000 for line in f if line.startswith("VmRSS"))


def flood(n, pid):
    call, taken, refused, peak = method("SubmitProof"), 0, 0, 0.0
    begin, before = time.time(), resident(pid)
    for i in range(n):
        try:
            call(pb.SubmitProofRequest(proof_kind=1, miner_id=2, sector_number=i, vanilla_proof=bytes(1000000)), timeout=20)
            taken += 1
        except grpc.RpcError as e:
            meta = dict(e.trailing_metadata())
            assert e.code() == grpc.StatusCode.RESOURCE_EXHAUSTED and "grpc-retry-pushback-ms" in meta, e
            refused += 1
        if i % 100 == 0:
            peak = max(peak, resident(pid))
    print(f"flood: {taken} taken, {refused} refused, {time.time() - begin:.1f} s, resident {before:.0f} -> at most {peak:.0f} MB")
    return taken > 0 and refused > 0 and peak < before + 300


sys.exit(0 if (status(float(sys.argv[4])) if sys.argv[3] == "status" else flood(int(sys.argv[4]), int(sys.argv[5]))) else 1)
