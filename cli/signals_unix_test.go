//go:build unix

package cli

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestSignalIsWhyTheTurnStops(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := untilEnded(t.Context())
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		interrupted, stopInterrupts := signal.NotifyContext(ctx, syscall.SIGINT)
		if got := provider.StopOf(interrupted); got.Reason != provider.Cancelled || got.Detail != "stopped by a signal" {
			t.Errorf("%v: %+v", s, got)
		}
		stopInterrupts()
		stop()
	}
}
