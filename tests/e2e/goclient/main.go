// An independent client of the daemon: grpc-go's transport and messages written field by field, so that
// neither our proto file nor libgrpc has a part in what is checked.
//
//	goclient -addr unix:///path check        against a daemon with the fake prover (test_daemon --serve)
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
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

const service = "/cuzk.v1.ProvingEngine/"

// raw passes bytes through; it takes the name "proto" so that the content type is the usual one.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (raw) Name() string { return "proto" }

func init() { encoding.RegisterCodec(raw{}) }

// ---- messages ----

func putUint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func putBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

type submit struct {
	id            string
	kind          uint64
	priority      uint64
	size          uint64
	sector, miner uint64
	vanilla       []byte
}

// The fields in descending order, which proto3 allows.
func (s submit) marshal() []byte {
	b := putUint(nil, 21, s.miner)
	b = putUint(b, 20, s.sector)
	b = putBytes(b, 10, s.vanilla)
	b = putUint(b, 5, s.priority)
	b = putUint(b, 3, s.size)
	b = putUint(b, 2, s.kind)
	b = putBytes(b, 1, []byte(s.id))
	return putUint(b, 999, 7) // a field of the future
}

type fields struct {
	num map[protowire.Number]uint64
	str map[protowire.Number][][]byte
}

func parse(b []byte) (fields, error) {
	f := fields{map[protowire.Number]uint64{}, map[protowire.Number][][]byte{}}
	for len(b) > 0 {
		n, typ, k := protowire.ConsumeTag(b)
		if k < 0 {
			return f, protowire.ParseError(k)
		}
		b = b[k:]
		switch typ {
		case protowire.VarintType:
			v, k := protowire.ConsumeVarint(b)
			if k < 0 {
				return f, protowire.ParseError(k)
			}
			f.num[n], b = v, b[k:]
		case protowire.BytesType:
			v, k := protowire.ConsumeBytes(b)
			if k < 0 {
				return f, protowire.ParseError(k)
			}
			f.str[n], b = append(f.str[n], v), b[k:]
		default:
			return f, fmt.Errorf("field %d has wire type %d", n, typ)
		}
	}
	return f, nil
}

func (f fields) text(n protowire.Number) string {
	if len(f.str[n]) == 0 {
		return ""
	}
	return string(f.str[n][0])
}

// ---- calls ----

type client struct{ conn *grpc.ClientConn }

func (c client) call(method string, request []byte, d time.Duration, opts ...grpc.CallOption) (fields, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var reply []byte
	if err := c.conn.Invoke(ctx, service+method, &request, &reply, opts...); err != nil {
		return fields{}, err
	}
	return parse(reply)
}

func (c client) prove(s submit, d time.Duration) (fields, error) {
	f, err := c.call("Prove", putBytes(nil, 1, s.marshal()), d)
	if err != nil {
		return f, err
	}
	if len(f.str[1]) != 1 {
		return f, errors.New("ProveResponse without a result")
	}
	return parse(f.str[1][0])
}

// ---- checks against the fake prover ----

const (
	completed = 1
	failed    = 2
	timeout   = 4
	minute    = time.Minute
)

func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func wantCode(err error, code codes.Code, text string) error {
	s := status.Convert(err)
	return want(s.Code() == code && strings.Contains(s.Message(), text), "got %v, expected %v with %q", err, code, text)
}

func checkProve(c client) error {
	f, err := c.prove(submit{id: "porep-1000-5", kind: 1, sector: 5, vanilla: []byte("x")}, minute)
	if err != nil {
		return err
	}
	good := bytes.Repeat([]byte{5}, 192)
	return want(f.num[2] == completed && f.text(1) == "porep-1000-5" && bytes.Equal([]byte(f.text(3)), good), "%v", f)
}

func checkBig(c client) error {
	for _, mib := range []int{51, 127} {
		id := fmt.Sprint("big-", mib)
		f, err := c.prove(submit{id: id, kind: 1, sector: 6, vanilla: make([]byte, mib<<20)}, minute)
		if err == nil {
			err = want(f.num[2] == completed, "%v", f)
		}
		if err != nil {
			return fmt.Errorf("%d MiB: %w", mib, err)
		}
	}
	_, err := c.prove(submit{id: "huge", kind: 1, vanilla: make([]byte, 129<<20)}, minute)
	return wantCode(err, codes.ResourceExhausted, "134217728")
}

func checkFailed(c client) error {
	f, err := c.prove(submit{kind: 4, miner: 1, vanilla: []byte("x")}, minute)
	if err != nil {
		return err
	}
	return want(f.num[2] == failed && len(f.text(1)) == 36 && f.text(4) != "" && f.text(3) == "", "%v", f)
}

func checkErrors(c client) error {
	for kind, text := range map[uint64]string{0: "invalid proof_kind: 0", 99: "invalid proof_kind: 99"} {
		_, err := c.call("SubmitProof", submit{kind: kind}.marshal(), minute)
		if err := wantCode(err, codes.InvalidArgument, text); err != nil {
			return err
		}
	}
	_, err := c.call("SubmitProof", submit{kind: 1, priority: 77}.marshal(), minute)
	if err := wantCode(err, codes.InvalidArgument, "priority: 77"); err != nil {
		return err
	}
	_, err = c.call("Prove", nil, minute)
	if err := wantCode(err, codes.InvalidArgument, "missing submit field"); err != nil {
		return err
	}
	_, err = c.call("AwaitProof", putBytes(nil, 1, []byte("nobody [é]")), minute)
	if err := wantCode(err, codes.NotFound, "job not found: nobody [é]"); err != nil {
		return err
	}
	_, err = c.call("Nothing", nil, minute)
	if err := wantCode(err, codes.Unimplemented, "Nothing"); err != nil {
		return err
	}
	_, err = c.call("GetStatus", nil, minute, grpc.UseCompressor("gzip"))
	if err != nil { // an empty message is not compressed by every version
		if err := wantCode(err, codes.Unimplemented, ""); err != nil {
			return err
		}
	}
	zipped := putBytes(nil, 1, submit{kind: 1, vanilla: make([]byte, 1<<20)}.marshal())
	_, err = c.call("Prove", zipped, minute, grpc.UseCompressor("gzip"))
	return wantCode(err, codes.Unimplemented, "")
}

// A client deadline ends the call, not the job; status is answered meanwhile; the retry joins.
func checkDeadline(c client) error {
	job := submit{id: "wdpost-1000-0-[1 2 3 4 5 6 7 8]", kind: 3, miner: 2, sector: 9, vanilla: []byte("x")}
	_, err := c.prove(job, 300*time.Millisecond)
	if err := want(status.Code(err) == codes.DeadlineExceeded, "prove: %v", err); err != nil {
		return err
	}
	other := job
	other.sector = 10
	_, err = c.call("SubmitProof", other.marshal(), minute)
	if err := wantCode(err, codes.AlreadyExists, "other content"); err != nil {
		return err
	}
	f, err := c.call("AwaitProof", putUint(putBytes(nil, 1, []byte(job.id)), 2, 50), minute)
	if err != nil || f.num[2] != timeout {
		return fmt.Errorf("await: %v %v", f, err)
	}
	begin := time.Now()
	f, err = c.call("GetStatus", nil, 5*time.Second)
	if err != nil || len(f.str[3]) != 4 || time.Since(begin) > time.Second {
		return fmt.Errorf("status: %v %v", f, err)
	}
	var wg sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f, err := c.prove(job, minute)
			if err == nil {
				err = want(f.num[2] == 3, "%v", f) // cancelled below
			}
			results[i] = err
		}()
	}
	time.Sleep(200 * time.Millisecond)
	f, err = c.call("CancelProof", putBytes(nil, 1, []byte(job.id)), minute)
	if err != nil || f.num[1] != 1 {
		return fmt.Errorf("cancel: %v %v", f, err)
	}
	wg.Wait()
	return errors.Join(results...)
}

func checkMetrics(c client) error {
	f, err := c.call("GetMetrics", nil, minute)
	if err != nil {
		return err
	}
	return want(strings.HasPrefix(f.text(1), "# HELP cuzk_proofs_completed_total "), "%q", f.text(1))
}

func check(c client) error {
	for _, t := range []struct {
		name string
		fn   func(client) error
	}{{"prove", checkProve}, {"big", checkBig}, {"failed", checkFailed}, {"errors", checkErrors},
		{"deadline", checkDeadline}, {"metrics", checkMetrics}} {
		begin := time.Now()
		if err := t.fn(c); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Printf("ok %s %v\n", t.name, time.Since(begin).Round(time.Millisecond))
	}
	return nil
}

// ---- real daemons ----

func printStatus(c client) error {
	f, err := c.call("GetStatus", nil, 5*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("completed %d failed %d uptime %d s\n", f.num[4], f.num[5], f.num[6])
	for _, b := range f.str[3] {
		q, err := parse(b)
		if err != nil {
			return err
		}
		fmt.Printf("%s pending %d in progress %d\n", q.text(1), q.num[2], q.num[3])
	}
	return nil
}

func porep(c client, path, out string, miner, sector uint64) error {
	c1, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := c.prove(submit{kind: 1, miner: miner, sector: sector, vanilla: c1}, 30*minute)
	if err != nil {
		return err
	}
	if f.num[2] != completed {
		return fmt.Errorf("status %d: %s", f.num[2], f.text(4))
	}
	fmt.Printf("job %s: %d bytes; queue %d ms, parameters %d, witness %d, proof %d, total %d\n", f.text(1),
		len(f.text(3)), f.num[10], f.num[11], f.num[12], f.num[13], f.num[14])
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(f.text(3)), 0o644)
}

func run() error {
	addr := flag.String("addr", "", "host:port or unix:///path")
	out := flag.String("out", "", "file for the proof")
	miner := flag.Uint64("miner", 0, "")
	sector := flag.Uint64("sector", 0, "")
	flag.Parse()
	target := *addr
	if !strings.HasPrefix(target, "unix:") {
		target = "dns:///" + target
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(256<<20), grpc.MaxCallRecvMsgSize(256<<20)))
	if err != nil {
		return err
	}
	defer conn.Close()
	c := client{conn}
	switch {
	case flag.Arg(0) == "check":
		return check(c)
	case flag.Arg(0) == "status":
		return printStatus(c)
	case flag.Arg(0) == "porep" && flag.NArg() == 2:
		return porep(c, flag.Arg(1), *out, *miner, *sector)
	}
	return errors.New("usage: goclient -addr ADDRESS check | status | porep C1FILE")
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "goclient:", err)
		os.Exit(1)
	}
}
