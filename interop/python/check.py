#!/usr/bin/python3
"""An independent client: python3-grpcio against a daemon with the fake prover (test_daemon --serve).

    check.py PB_DIR UNIX_ADDRESS TCP_ADDRESS PID     everything; ends the daemon
    check.py PB_DIR --tls ADDRESS CA TOKEN           one that wants TLS and a token

PB_DIR holds what `protoc --python_out` made of proto/. Prints "ok NAME" or ends with an error.
"""
import os
import signal
import sys
import time

sys.path.insert(0, sys.argv[1])
import grpc
from cuzk.v1 import proving_pb2 as pb
from google.protobuf import descriptor_pb2

MIB = 1 << 20
OPTIONS = [("grpc.max_send_message_length", 256 * MIB), ("grpc.max_receive_message_length", 256 * MIB)]
# docs/errors.md
STATUSES = {
    "INVAL": ("INVALID_ARGUMENT", "false"), "ENCODING": ("INVALID_ARGUMENT", "false"),
    "UNSATISFIED": ("INVALID_ARGUMENT", "false"), "PARAMS": ("FAILED_PRECONDITION", "false"),
    "CORRUPT": ("DATA_LOSS", "false"), "NOT_FOUND": ("NOT_FOUND", "false"), "EXISTS": ("ALREADY_EXISTS", "false"),
    "IO": ("DATA_LOSS", "false"), "NOMEM": ("RESOURCE_EXHAUSTED", "true"), "BUDGET": ("RESOURCE_EXHAUSTED", "true"),
    "MEMORY": ("FAILED_PRECONDITION", "false"), "UNAVAILABLE": ("UNAVAILABLE", "true"),
    "TIMEOUT": ("DEADLINE_EXCEEDED", "true"), "CANCELLED": ("CANCELLED", "false"),
    "UNSUPPORTED": ("UNIMPLEMENTED", "false"), "DEVICE": ("INTERNAL", "true"), "DEVICE_LOST": ("INTERNAL", "false"),
    "INTERNAL": ("INTERNAL", "false"),
}
FAIL, WAIT = 1, 2  # miner ids that the fake prover knows


def message_class(path, package, name):
    """Messages of proto/grpc would collide with python3-grpcio's package "grpc", so by descriptor."""
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    with open(os.path.join(sys.argv[1], "all.bin"), "rb") as f:
        for file in descriptor_pb2.FileDescriptorSet.FromString(f.read()).file:
            pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(f"{package}.{name}"))


class Client:
    def __init__(self, channel):
        self.channel = channel
        for name in ("SubmitProof", "AwaitProof", "Prove", "CancelProof", "GetStatus", "GetMetrics"):
            self.add(name, getattr(pb, name + "Request"), getattr(pb, name + "Response"))
        self.add("PreloadSRS", pb.PreloadSrsRequest, pb.PreloadSrsResponse)
        self.add("EvictSRS", pb.EvictSrsRequest, pb.EvictSrsResponse)

    def add(self, name, request, response):
        call = self.channel.unary_unary(
            "/cuzk.v1.ProvingEngine/" + name, request_serializer=request.SerializeToString,
            response_deserializer=response.FromString)
        setattr(self, name, call)

    def prove(self, timeout=60, **fields):
        fields.setdefault("proof_kind", pb.POREP_SEAL_COMMIT)
        fields.setdefault("vanilla_proof", b"x")
        return self.Prove(pb.ProveRequest(submit=pb.SubmitProofRequest(**fields)), timeout=timeout).result


def expect(code, reason, retryable, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except grpc.RpcError as e:
        assert e.code() == code, e
        meta = dict(e.trailing_metadata())
        assert meta.get("cuzk-reason") == reason, (e, meta)
        assert meta.get("cuzk-retryable") == retryable, (e, meta)
        hint = code == grpc.StatusCode.RESOURCE_EXHAUSTED and retryable == "true"
        assert ("grpc-retry-pushback-ms" in meta) == hint, meta
        return e.details()
    raise AssertionError(f"no {code}")


def check_calls(c):
    r = c.prove(request_id="porep-1000-5", sector_number=5)
    assert r.status == r.COMPLETED and r.proof == bytes([5]) * 192 and r.job_id == "porep-1000-5", r
    s = c.SubmitProof(pb.SubmitProofRequest(proof_kind=4, sector_number=6, vanilla_proof=b"x"), timeout=60)
    assert len(s.job_id) == 36
    r = c.AwaitProof(pb.AwaitProofRequest(job_id=s.job_id), timeout=60)
    assert r.status == r.COMPLETED and r.proof == bytes([6]) * 192, r
    r = c.prove(miner_id=FAIL)
    assert r.status == r.FAILED and r.error_message.startswith("PARAMS: "), r
    assert not c.CancelProof(pb.CancelProofRequest(job_id="nobody"), timeout=60).was_running
    s = c.GetStatus(pb.GetStatusRequest(), timeout=5)
    assert [q.proof_kind for q in s.queues] == ["porep-c2", "winning-post", "window-post", "snap-update"], s
    assert s.total_proofs_completed == 2 and s.total_proofs_failed == 1, s
    assert [(x.circuit_id, x.tier, x.ref_count) for x in s.loaded_srs] == [("porep-2k", 0, 2), ("porep-8m", 2, 0)], s
    assert c.GetMetrics(pb.GetMetricsRequest(), timeout=5).prometheus_text.startswith("# HELP ")
    assert c.PreloadSRS(pb.PreloadSrsRequest(circuit_id="porep-2k"), timeout=60).already_loaded
    e = c.EvictSRS(pb.EvictSrsRequest(circuit_id="porep-8m"), timeout=60)
    assert e.was_loaded and e.freed_bytes == 777, e
    e = c.EvictSRS(pb.EvictSrsRequest(circuit_id="porep-2k"), timeout=60)
    assert e.was_loaded and e.freed_bytes == 0, e


def check_errors(c):
    code = grpc.StatusCode
    for field in ({"proof_kind": 0}, {"proof_kind": 99}, {"proof_kind": -1}, {"priority": 77}):
        text = expect(code.INVALID_ARGUMENT, "INVAL", "false", c.prove, **field)
        assert next(iter(field)) in text, text
    expect(code.INVALID_ARGUMENT, "ENCODING", "false", c.prove, vanilla_proof=b"!")
    expect(code.NOT_FOUND, "NOT_FOUND", "false", c.AwaitProof, pb.AwaitProofRequest(job_id="nobody"), timeout=60)
    expect(code.DEADLINE_EXCEEDED, "TIMEOUT", "true", c.prove, deadline_unix_ms=int(time.time() * 1000) - 1)
    expect(code.INVALID_ARGUMENT, "INVAL", "false", c.EvictSRS, pb.EvictSrsRequest(circuit_id="nope"), timeout=60)
    for name, want in STATUSES.items():  # G20
        expect(getattr(code, want[0]), name, want[1], c.PreloadSRS, pb.PreloadSrsRequest(circuit_id="fail:" + name))
    zipped = pb.ProveRequest(submit=pb.SubmitProofRequest(proof_kind=1, vanilla_proof=bytes(MIB)))
    try:
        c.Prove(zipped, timeout=60, compression=grpc.Compression.Gzip)
        raise AssertionError("a compressed request was taken")
    except grpc.RpcError as e:
        assert e.code() == code.UNIMPLEMENTED, e


def check_health(c):
    Request = message_class(c, "grpc.health.v1", "HealthCheckRequest")
    Response = message_class(c, "grpc.health.v1", "HealthCheckResponse")
    kw = dict(request_serializer=Request.SerializeToString, response_deserializer=Response.FromString)
    c.Check = c.channel.unary_unary("/grpc.health.v1.Health/Check", **kw)
    c.Watch = c.channel.unary_stream("/grpc.health.v1.Health/Watch", **kw)
    c.HealthRequest = Request
    for name in ("", "cuzk.v1.ProvingEngine"):
        assert c.Check(Request(service=name), timeout=5).status == 1
        stream = c.Watch(Request(service=name))
        assert next(stream).status == 1
        stream.cancel()
    expect(grpc.StatusCode.NOT_FOUND, "NOT_FOUND", "false", c.Check, Request(service="x"), timeout=5)
    stream = c.Watch(Request(service="x"))
    assert next(stream).status == 3
    stream.cancel()


def check_reflection(c):
    for version in ("v1", "v1alpha"):
        package = "grpc.reflection." + version
        Request = message_class(c, package, "ServerReflectionRequest")
        Response = message_class(c, package, "ServerReflectionResponse")
        info = c.channel.stream_stream(
            f"/{package}.ServerReflection/ServerReflectionInfo", request_serializer=Request.SerializeToString,
            response_deserializer=Response.FromString)
        questions = [Request(list_services=""), Request(file_by_filename="cuzk/v1/proving.proto")]
        symbols = ["cuzk.v1.ProvingEngine", "cuzk.v1.ProvingEngine.Prove", "cuzk.v1.AwaitProofResponse.Status",
                   "cuzk.v1.ProofKind", "cuzk.v1.SubmitProofRequest"]
        questions += [Request(file_containing_symbol=s) for s in symbols]
        questions += [Request(file_containing_symbol=s) for s in ("cuzk.v1.Nothing", "cuzk.v1", "")]
        answers = list(info(iter(questions), timeout=20))
        assert len(answers) == len(questions)
        names = [s.name for s in answers[0].list_services_response.service]
        assert names == ["cuzk.v1.ProvingEngine", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                         "grpc.reflection.v1alpha.ServerReflection"], names
        for a in answers[1:2 + len(symbols)]:
            file = descriptor_pb2.FileDescriptorProto.FromString(
                a.file_descriptor_response.file_descriptor_proto[0])
            assert file.name == "cuzk/v1/proving.proto" and len(file.service[0].method) == 8
        for a in answers[2 + len(symbols):]:
            assert a.error_response.error_code == 5, a


def check_big(c):
    r = c.prove(request_id="big", vanilla_proof=bytes(200 * 1000 * 1000), timeout=120)
    assert r.status == r.COMPLETED


def check_deadline_and_cancel(c):
    job = dict(request_id="wdpost-1000-0-[1 2 3 4 5 6 7 8]", proof_kind=3, miner_id=WAIT, sector_number=9)
    try:
        c.prove(timeout=0.3, **job)
        raise AssertionError("no deadline")
    except grpc.RpcError as e:
        assert e.code() == grpc.StatusCode.DEADLINE_EXCEEDED, e
    future = c.Prove.future(pb.ProveRequest(submit=pb.SubmitProofRequest(vanilla_proof=b"x", **job)))
    time.sleep(0.1)
    future.cancel()
    other = dict(job, sector_number=10)
    expect(grpc.StatusCode.ALREADY_EXISTS, "EXISTS", "false", c.prove, **other)
    r = c.AwaitProof(pb.AwaitProofRequest(job_id=job["request_id"], timeout_ms=50), timeout=60)
    assert r.status == r.TIMEOUT
    begin = time.time()
    assert sum(q.in_progress for q in c.GetStatus(pb.GetStatusRequest(), timeout=5).queues) == 1
    assert time.time() - begin < 1
    assert c.CancelProof(pb.CancelProofRequest(job_id=job["request_id"]), timeout=60).was_running
    r = c.AwaitProof(pb.AwaitProofRequest(job_id=job["request_id"]), timeout=60)
    assert r.status == r.CANCELLED


def check_drain(c, pid):
    """SIGTERM in the middle of a call: no more work, NOT_SERVING, and the call gets its proof."""
    future = c.Prove.future(pb.ProveRequest(submit=pb.SubmitProofRequest(
        request_id="last", proof_kind=1, miner_id=WAIT, sector_number=7, vanilla_proof=b"x")), timeout=60)
    while not sum(q.in_progress for q in c.GetStatus(pb.GetStatusRequest(), timeout=5).queues):
        time.sleep(0.01)
    watch = c.Watch(c.HealthRequest())
    assert next(watch).status == 1
    os.kill(pid, signal.SIGTERM)
    assert next(watch).status == 2
    expect(grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE", "true", c.prove, sector_number=8)
    assert c.Check(c.HealthRequest(), timeout=5).status == 2
    os.kill(pid, signal.SIGUSR1)
    r = future.result().result
    assert r.status == r.COMPLETED and r.proof == bytes([7]) * 192, r


def check_tls(address, ca, token):
    with open(ca, "rb") as f:
        tls = grpc.ssl_channel_credentials(f.read())
    def client(credentials):
        return Client(grpc.secure_channel(address, credentials, OPTIONS))
    def with_token(t):
        return grpc.composite_channel_credentials(tls, grpc.access_token_call_credentials(t))
    assert client(with_token(token)).prove(sector_number=3).proof == bytes([3]) * 192
    for bad in (with_token(token[:-1] + "x"), with_token(token + "x"), with_token("x"), tls):
        expect(grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", "false", client(bad).prove)
    for bad in (grpc.insecure_channel(address),
                grpc.secure_channel(address, grpc.ssl_channel_credentials())):
        try:
            Client(bad).prove(timeout=5)
            raise AssertionError("no TLS, and yet an answer")
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.UNAVAILABLE, e
    print("ok TLS and token")


def main():
    if sys.argv[2] == "--tls":
        check_tls(*sys.argv[3:6])
        return
    unix, tcp, pid = sys.argv[2], sys.argv[3], int(sys.argv[4])
    c = Client(grpc.insecure_channel(unix, OPTIONS))
    t = Client(grpc.insecure_channel("dns:///" + tcp, OPTIONS))
    for name, check, args in (
            ("calls", check_calls, (c,)), ("errors", check_errors, (t,)), ("health", check_health, (c,)),
            ("reflection", check_reflection, (t,)), ("200 MB", check_big, (t,)), ("200 MB, unix", check_big, (c,)),
            ("deadline and cancel", check_deadline_and_cancel, (t,)), ("drain", check_drain, (c, pid))):
        begin = time.time()
        check(*args)
        print(f"ok {name} ({time.time() - begin:.1f} s)", flush=True)


main()
