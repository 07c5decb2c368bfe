//go:build unix

package cli

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
)

func TestSignalIsWhyTheTurnStops(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := untilEnded(t.Context())
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		interrupted, stopInterrupts := signal.NotifyContext(ctx, syscall.SIGINT)
		if got := event.StopOf(interrupted); got.Reason != event.Cancelled || got.Detail != "stopped by a signal" {
			t.Errorf("%v: %+v", s, got)
		}
		stopInterrupts()
		stop()
	}
}
