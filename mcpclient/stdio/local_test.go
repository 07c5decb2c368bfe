package stdio

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

func TestCloseLocal(t *testing.T) {
	for name, serve := range map[string]func(ctx context.Context, in io.Reader, stuck <-chan struct{}){
		"at the end of its input": func(_ context.Context, in io.Reader, _ <-chan struct{}) { _, _ = io.ReadAll(in) },
		"with its context":        func(ctx context.Context, _ io.Reader, _ <-chan struct{}) { <-ctx.Done() },
		"never":                   func(_ context.Context, _ io.Reader, stuck <-chan struct{}) { <-stuck },
	} {
		synctest.Test(t, func(t *testing.T) {
			stuck := make(chan struct{})
			defer close(stuck)
			local := StartLocal(func(ctx context.Context, in io.Reader, _ io.Writer) error {
				serve(ctx, in, stuck)
				return nil
			}, nil)
			if err := local.Send(t.Context(), jsonrpc.Message{Method: "hello"}); err != nil {
				t.Error(err)
			}
			began := time.Now()
			local.Close()
			if took := time.Since(began); took > grace || !errors.Is(local.Err(), jsonrpc.ErrGone) {
				t.Errorf("%s: after %v: %v", name, took, local.Err())
			}
		})
	}
}
