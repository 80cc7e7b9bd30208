// An independent client of the daemon: grpc-go with messages generated from our proto, dialled the way
// storage providers' software does it (dns:/// or unix:, both message limits 256 MiB).
//
//	goclient -addr unix:///path check        against a daemon with the fake prover (test_daemon --serve)
//	goclient -addr unix:///path drain PID    ends that daemon in the middle of a call
//	goclient -addr unix:///path status
//	goclient -addr unix:///path -miner 1000 -sector 5 -out proof.bin porep C1FILE
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"cuzk/interop/go/pb"
)

const (
	service = "/cuzk.v1.ProvingEngine/"
	minute  = time.Minute
	mib     = 1 << 20
	fail    = 1 // miner ids that the fake prover knows
	wait    = 2
)

// ---- calls ----

type client struct {
	conn    *grpc.ClientConn
	trailer metadata.MD
}

func (c *client) call(method string, in, out proto.Message, d time.Duration, opts ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	c.trailer = nil
	return c.conn.Invoke(ctx, service+method, in, out, append(opts, grpc.Trailer(&c.trailer))...)
}

func (c *client) prove(s *pb.SubmitProofRequest, d time.Duration, opts ...grpc.CallOption) (*pb.AwaitProofResponse, error) {
	if s.VanillaProof == nil {
		s.VanillaProof = []byte("x")
	}
	var out pb.ProveResponse
	// a client of its own, since this runs in several goroutines
	err := (&client{conn: c.conn}).call("Prove", &pb.ProveRequest{Submit: s}, &out, d, opts...)
	if err == nil && out.Result == nil {
		err = errors.New("ProveResponse without a result")
	}
	return out.Result, err
}

func (c *client) running() (uint32, error) {
	var out pb.GetStatusResponse
	n := uint32(0)
	err := c.call("GetStatus", &pb.GetStatusRequest{}, &out, 5*time.Second)
	for _, q := range out.Queues {
		n += q.InProgress
	}
	return n, err
}

// ---- checks against the fake prover ----

func want(ok bool, format string, args ...interface{}) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func wantCode(err error, code codes.Code, text string) error {
	s := status.Convert(err)
	return want(s.Code() == code && strings.Contains(s.Message(), text), "got %v, expected %v with %q", err, code, text)
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkCalls(c *client) error {
	r, err := c.prove(&pb.SubmitProofRequest{RequestId: "porep-1000-5", ProofKind: pb.ProofKind_POREP_SEAL_COMMIT, SectorNumber: 5}, minute)
	good := bytes.Repeat([]byte{5}, 192)
	if err != nil || r.Status != pb.AwaitProofResponse_COMPLETED || r.JobId != "porep-1000-5" || !bytes.Equal(r.Proof, good) {
		return fmt.Errorf("prove: %v %v", r, err)
	}
	var s pb.SubmitProofResponse
	var a pb.AwaitProofResponse
	submit := &pb.SubmitProofRequest{ProofKind: 4, MinerId: fail, VanillaProof: []byte("x")}
	if err := c.call("SubmitProof", submit, &s, minute); err != nil || len(s.JobId) != 36 {
		return fmt.Errorf("submit: %v %v", &s, err)
	}
	err = c.call("AwaitProof", &pb.AwaitProofRequest{JobId: s.JobId}, &a, minute)
	if err != nil || a.Status != pb.AwaitProofResponse_FAILED || !strings.HasPrefix(a.ErrorMessage, "PARAMS: ") {
		return fmt.Errorf("await: %v %v", &a, err)
	}
	var cancel pb.CancelProofResponse
	var load pb.PreloadSrsResponse
	var evict pb.EvictSrsResponse
	var metrics pb.GetMetricsResponse
	var st pb.GetStatusResponse
	return first(
		c.call("CancelProof", &pb.CancelProofRequest{JobId: "nobody"}, &cancel, minute),
		c.call("PreloadSRS", &pb.PreloadSrsRequest{CircuitId: "porep-2k"}, &load, minute),
		c.call("EvictSRS", &pb.EvictSrsRequest{CircuitId: "porep-8m"}, &evict, minute),
		c.call("GetMetrics", &pb.GetMetricsRequest{}, &metrics, minute),
		c.call("GetStatus", &pb.GetStatusRequest{}, &st, 5*time.Second),
		want(!cancel.WasRunning && load.AlreadyLoaded && evict.WasLoaded && evict.FreedBytes == 777, "%v %v %v", &cancel, &load, &evict),
		want(strings.HasPrefix(metrics.PrometheusText, "# HELP "), "%q", metrics.PrometheusText),
		want(len(st.Queues) == 4 && len(st.LoadedSrs) == 2, "%v", &st))
}

func checkErrors(c *client) error {
	for _, t := range []struct {
		req  *pb.SubmitProofRequest
		code codes.Code
		text string
	}{
		{&pb.SubmitProofRequest{}, codes.InvalidArgument, "proof_kind: 0"},
		{&pb.SubmitProofRequest{ProofKind: 99}, codes.InvalidArgument, "proof_kind: 99"},
		{&pb.SubmitProofRequest{ProofKind: -1}, codes.InvalidArgument, "proof_kind: -1"},
		{&pb.SubmitProofRequest{ProofKind: 1, Priority: 77}, codes.InvalidArgument, "priority: 77"},
		{&pb.SubmitProofRequest{ProofKind: 1, DeadlineUnixMs: 1}, codes.DeadlineExceeded, "deadline_unix_ms"},
	} {
		var out pb.SubmitProofResponse
		if err := wantCode(c.call("SubmitProof", t.req, &out, minute), t.code, t.text); err != nil {
			return err
		}
	}
	err := c.call("AwaitProof", &pb.AwaitProofRequest{JobId: "nobody [é]"}, &pb.AwaitProofResponse{}, minute)
	if err := wantCode(err, codes.NotFound, "job not found: nobody [é]"); err != nil {
		return err
	}
	reason := c.trailer.Get("cuzk-reason")
	if len(reason) != 1 || reason[0] != "NOT_FOUND" {
		return fmt.Errorf("trailer: %v", c.trailer)
	}
	err = c.call("Prove", &pb.ProveRequest{}, &pb.ProveResponse{}, minute)
	if err := wantCode(err, codes.InvalidArgument, "missing submit field"); err != nil {
		return err
	}
	err = c.call("Nothing", &pb.GetStatusRequest{}, &pb.GetStatusResponse{}, minute)
	if err := wantCode(err, codes.Unimplemented, "Nothing"); err != nil {
		return err
	}
	_, err = c.prove(&pb.SubmitProofRequest{ProofKind: 1, VanillaProof: make([]byte, mib)}, minute, grpc.UseCompressor("gzip"))
	return wantCode(err, codes.Unimplemented, "")
}

// The client's own limit is 256 MiB as well, so what is above the daemon's is sent with another one.
// C10.
func checkBig(c *client) error {
	sizes := []int{3900e3, 4100e3, 51 * mib, 127 * mib, 129 * mib, 200e6, 255 * mib}
	if strings.HasPrefix(c.conn.Target(), "unix:") {
		sizes = []int{200e6}
	}
	for _, n := range sizes {
		r, err := c.prove(&pb.SubmitProofRequest{RequestId: fmt.Sprint("big-", n), ProofKind: 1, VanillaProof: make([]byte, n)}, minute)
		if err != nil || r.Status != pb.AwaitProofResponse_COMPLETED {
			return fmt.Errorf("%d bytes: %v %v", n, r, err)
		}
	}
	_, err := c.prove(&pb.SubmitProofRequest{ProofKind: 1, VanillaProof: make([]byte, 257*mib)}, minute, grpc.MaxCallSendMsgSize(1<<30))
	return wantCode(err, codes.ResourceExhausted, "268435456")
}

// A client deadline ends the call, not the job; status is answered meanwhile; the retry joins.
func checkDeadline(c *client) error {
	job := &pb.SubmitProofRequest{RequestId: "wdpost-1000-0-[1 2 3 4 5 6 7 8]", ProofKind: 3, MinerId: wait, SectorNumber: 9, VanillaProof: []byte("x")}
	_, err := c.prove(job, 300*time.Millisecond)
	if err := want(status.Code(err) == codes.DeadlineExceeded, "prove: %v", err); err != nil {
		return err
	}
	other := proto.Clone(job).(*pb.SubmitProofRequest)
	other.SectorNumber = 10
	_, err = c.prove(other, minute)
	if err := wantCode(err, codes.AlreadyExists, "other content"); err != nil {
		return err
	}
	var a pb.AwaitProofResponse
	err = c.call("AwaitProof", &pb.AwaitProofRequest{JobId: job.RequestId, TimeoutMs: 50}, &a, minute)
	if err != nil || a.Status != pb.AwaitProofResponse_TIMEOUT {
		return fmt.Errorf("await: %v %v", &a, err)
	}
	begin := time.Now()
	n, err := c.running()
	if err != nil || n != 1 || time.Since(begin) > time.Second {
		return fmt.Errorf("status: %v %v %v", n, err, time.Since(begin))
	}
	var wg sync.WaitGroup
	results := make([]error, 8)
	for k := range results {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			r, err := c.prove(proto.Clone(job).(*pb.SubmitProofRequest), minute)
			if err == nil {
				err = want(r.Status == pb.AwaitProofResponse_CANCELLED, "%v", r)
			}
			results[i] = err
		}(k)
	}
	time.Sleep(200 * time.Millisecond)
	var out pb.CancelProofResponse
	err = c.call("CancelProof", &pb.CancelProofRequest{JobId: job.RequestId}, &out, minute)
	wg.Wait()
	return first(append(results, err, want(out.WasRunning, "cancel: %v", &out))...)
}

func checkHealth(c *client) error {
	ctx, cancel := context.WithTimeout(context.Background(), minute)
	defer cancel()
	h := health.NewHealthClient(c.conn)
	r, err := h.Check(ctx, &health.HealthCheckRequest{Service: "cuzk.v1.ProvingEngine"})
	if err != nil || r.Status != health.HealthCheckResponse_SERVING {
		return fmt.Errorf("check: %v %v", r, err)
	}
	_, err = h.Check(ctx, &health.HealthCheckRequest{Service: "x"})
	if err := wantCode(err, codes.NotFound, ""); err != nil {
		return err
	}
	w, err := h.Watch(ctx, &health.HealthCheckRequest{})
	if err != nil {
		return err
	}
	r, err = w.Recv()
	return first(err, want(err != nil || r.Status == health.HealthCheckResponse_SERVING, "watch: %v", r))
}

func checkReflection(c *client) error {
	ctx, cancel := context.WithTimeout(context.Background(), minute)
	defer cancel()
	s, err := reflection.NewServerReflectionClient(c.conn).ServerReflectionInfo(ctx)
	if err != nil {
		return err
	}
	for i, q := range []*reflection.ServerReflectionRequest{
		{MessageRequest: &reflection.ServerReflectionRequest_ListServices{}},
		{MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "cuzk.v1.ProvingEngine"}},
	} {
		if err := s.Send(q); err != nil {
			return err
		}
		r, err := s.Recv()
		if err != nil {
			return err
		}
		ok := i == 0 && len(r.GetListServicesResponse().GetService()) == 4 ||
			i == 1 && len(r.GetFileDescriptorResponse().GetFileDescriptorProto()) == 1
		if !ok {
			return fmt.Errorf("reflection %d: %v", i, r)
		}
	}
	return s.CloseSend()
}

func check(c *client) error {
	for _, t := range []struct {
		name string
		fn   func(*client) error
	}{{"calls", checkCalls}, {"errors", checkErrors}, {"big", checkBig}, {"deadline and cancel", checkDeadline},
		{"health", checkHealth}, {"reflection", checkReflection}} {
		begin := time.Now()
		if err := t.fn(c); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Printf("ok %s %v\n", t.name, time.Since(begin).Round(time.Millisecond))
	}
	return nil
}

// SIGTERM in the middle of a call: the call gets its proof, others are UNAVAILABLE.
func drain(c *client, pid int) error {
	result := make(chan error, 1)
	go func() {
		r, err := c.prove(&pb.SubmitProofRequest{RequestId: "last", ProofKind: 1, MinerId: wait, SectorNumber: 7}, minute)
		if err == nil {
			err = want(r.Status == pb.AwaitProofResponse_COMPLETED && bytes.Equal(r.Proof, bytes.Repeat([]byte{7}, 192)), "%v", r)
		}
		result <- err
	}()
	for n := uint32(0); n == 0; time.Sleep(10 * time.Millisecond) {
		var err error
		if n, err = c.running(); err != nil {
			return err
		}
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	_, err := c.prove(&pb.SubmitProofRequest{ProofKind: 1, SectorNumber: 8}, minute)
	if err := wantCode(err, codes.Unavailable, ""); err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		return err
	}
	if err := <-result; err != nil {
		return err
	}
	fmt.Println("ok drain")
	return nil
}

// ---- real daemons ----

func printStatus(c *client) error {
	var out pb.GetStatusResponse
	if err := c.call("GetStatus", &pb.GetStatusRequest{}, &out, 5*time.Second); err != nil {
		return err
	}
	fmt.Println(&out)
	return nil
}

func porep(c *client, path, out string, miner, sector uint64) error {
	c1, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := c.prove(&pb.SubmitProofRequest{ProofKind: 1, MinerId: miner, SectorNumber: sector, VanillaProof: c1}, 30*minute)
	if err != nil {
		return err
	}
	if r.Status != pb.AwaitProofResponse_COMPLETED {
		return fmt.Errorf("status %v: %s", r.Status, r.ErrorMessage)
	}
	fmt.Printf("job %s: %d bytes; queue %d ms, parameters %d, witness %d, proof %d, total %d\n", r.JobId,
		len(r.Proof), r.QueueWaitMs, r.SrsLoadMs, r.SynthesisMs, r.GpuComputeMs, r.TotalMs)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, r.Proof, 0o644)
}

func run() error {
	addr := flag.String("addr", "", "host:port or unix:///path")
	out := flag.String("out", "", "file for the proof")
	miner := flag.Uint64("miner", 0, "")
	sector := flag.Uint64("sector", 0, "")
	flag.Parse()
	target := *addr
	if !strings.Contains(target, "://") && !strings.HasPrefix(target, "unix:") {
		target = "dns:///" + target
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(256*mib), grpc.MaxCallRecvMsgSize(256*mib)))
	if err != nil {
		return err
	}
	defer conn.Close()
	c := &client{conn: conn}
	switch {
	case flag.Arg(0) == "check":
		return check(c)
	case flag.Arg(0) == "drain" && flag.NArg() == 2:
		pid, err := strconv.Atoi(flag.Arg(1))
		return first(err, drain(c, pid))
	case flag.Arg(0) == "status":
		return printStatus(c)
	case flag.Arg(0) == "porep" && flag.NArg() == 2:
		return porep(c, flag.Arg(1), *out, *miner, *sector)
	}
	return errors.New("usage: goclient -addr ADDRESS check | drain PID | status | porep C1FILE")
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "goclient:", err)
		os.Exit(1)
	}
}
