"""What soak.py, the long tests and bench/daemon share: a daemon as a process, a client of python3-grpcio for it,
and the requests of tests/data as messages."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KINDS = {"porep": 1, "update": 2, "window": 3, "winning": 4}
# numbers of the request's registered proof; the PoRep has it in its C1 output
REGISTERED = {"StackedDrgWinning2KiBV1": 0, "StackedDrgWindow2KiBV1": 5, "StackedDrgWindow2KiBV1_2": 10}
MIB = 1 << 20
OPTIONS = [("grpc.max_send_message_length", 256 * MIB), ("grpc.max_receive_message_length", 256 * MIB),
           ("grpc.use_local_subchannel_pool", 1)]

grpc = None  # filled by load_messages()
pb = None


def load_messages(folder):
    """Makes the Python messages of our proto in a folder and imports them."""
    global grpc, pb
    subprocess.run(["protoc", f"--proto_path={ROOT}/proto", f"--python_out={folder}", "cuzk/v1/proving.proto"], check=True)
    sys.path.insert(0, str(folder))
    import grpc as grpc_module
    from cuzk.v1 import proving_pb2
    grpc, pb = grpc_module, proving_pb2
    return grpc, pb


def read_request(name):
    """The fields of a SubmitProofRequest for tests/data/NAME."""
    folder = ROOT / "tests/data" / name
    r = json.loads((folder / "request.json").read_text())
    fields = {"proof_kind": KINDS[r["kind"]], "sector_size": r["sector_size"], "miner_id": r["miner"]}
    if r["kind"] == "porep":
        fields["sector_number"] = r["sector_number"]
        fields["vanilla_proof"] = (folder / r["vanilla"][0]).read_bytes()
    elif r["kind"] == "update":
        fields["sector_number"] = r["sector_number"]
        fields["vanilla_proofs"] = [(folder / v).read_bytes() for v in r["vanilla"]]
        for key in ("comm_r_old", "comm_r_new", "comm_d_new"):
            fields[key] = bytes.fromhex(r[key])
    else:
        fields["registered_proof"] = REGISTERED[r["registered_proof"]]
        fields["randomness"] = bytes.fromhex(r["randomness"])
        fields["vanilla_proofs"] = [(folder / s["vanilla"]).read_bytes() for s in r["sectors"]]
    return fields


def golden(name):
    """The proof of tests/data/NAME with the published r and s."""
    folder = ROOT / "tests/data" / name
    return b"".join(p.read_bytes() for p in sorted(folder.glob("golden-*.proof")))


class Client:
    """One connection. Methods by name: client.GetStatus(timeout=5), client.Prove(request, ...)."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address, OPTIONS)
        for name in ("SubmitProof", "AwaitProof", "Prove", "CancelProof", "GetStatus", "GetMetrics"):
            self._add(name, name)
        self._add("PreloadSRS", "PreloadSrs")
        self._add("EvictSRS", "EvictSrs")

    def _add(self, name, message):
        request, response = getattr(pb, message + "Request"), getattr(pb, message + "Response")
        call = self.channel.unary_unary(f"/cuzk.v1.ProvingEngine/{name}", request_serializer=request.SerializeToString,
                                        response_deserializer=response.FromString)
        setattr(self, name, call)

    def status(self, timeout=10):
        return self.GetStatus(pb.GetStatusRequest(), timeout=timeout)

    def prove(self, job_id, fields, timeout=3600):
        return self.Prove(prove_request(job_id, fields), timeout=timeout).result

    def wait(self, job_id, timeout=3600):
        return self.AwaitProof(pb.AwaitProofRequest(job_id=job_id), timeout=timeout)

    def close(self):
        self.channel.close()


def prove_request(job_id, fields):
    return pb.ProveRequest(submit=pb.SubmitProofRequest(request_id=job_id, **fields))


class Daemon:
    """`cuzk serve` in a folder: socket s, log file log, all else on stderr."""

    def __init__(self, cuzk, work, params, *options, env=None):
        self.work, self.log = pathlib.Path(work), pathlib.Path(work) / "log"
        self.unix = f"unix://{self.work}/s"
        self.stderr = open(self.work / "stderr", "ab")
        self.argv = [str(cuzk), "serve", "--listen", self.unix, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                     "--params", str(params), "--log-file", str(self.log), *options]
        self.env = dict(os.environ, **(env or {}))
        self.process = None

    def start(self, timeout=120):
        at = self.log.stat().st_size if self.log.exists() else 0
        self.process = subprocess.Popen(self.argv, stderr=self.stderr, stdout=self.stderr, env=self.env)
        end = time.time() + timeout
        while time.time() < end:
            assert self.process.poll() is None, f"the daemon ended with {self.process.returncode}; see {self.work}"
            text = self.log.read_text(errors="replace")[at:] if self.log.exists() else ""
            tcp = re.search(r"listening on (127\.0\.0\.1:\d+)", text)
            http = re.search(r"http on (127\.0\.0\.1:\d+)", text)
            if tcp and http and self._answers():
                self.tcp, self.http = tcp.group(1), http.group(1)
                return self
            time.sleep(0.02)
        raise AssertionError(f"the daemon does not answer; see {self.work}")

    def _answers(self):
        client = Client(self.unix)
        try:
            client.status(timeout=2)
            return True
        except grpc.RpcError:
            return False
        finally:
            client.close()

    @property
    def pid(self):
        return self.process.pid

    def page(self, path):
        with urllib.request.urlopen(f"http://{self.http}{path}", timeout=30) as answer:
            return answer.read().decode()

    def metrics(self):
        """{'name{labels}': value}"""
        lines = (line for line in self.page("/metrics").split("\n") if line and line[0] != "#")
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def proc_status(self, key):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith(key + ":"):
                return int(line.split()[1])
        raise KeyError(key)

    def n_descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def stop(self, sig=signal.SIGTERM, timeout=120):
        self.process.send_signal(sig)
        code = self.process.wait(timeout)
        return code

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
