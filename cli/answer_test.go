package cli

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadAllReportsWaiting(t *testing.T) {
	for _, c := range []struct {
		pause time.Duration // before the end of the input
		told  int32
	}{{time.Second, 0}, {3 * time.Second, 1}, {time.Hour, 1}} {
		synctest.Test(t, func(t *testing.T) {
			in, input := io.Pipe()
			go func() {
				io.WriteString(input, "x")
				time.Sleep(c.pause)
				input.Close()
			}()
			var told atomic.Int32
			data, err := readAll(t.Context(), in, func() { told.Add(1) })
			time.Sleep(time.Minute) // no message is printed after the end of the input
			if err != nil || string(data) != "x" || told.Load() != c.told {
				t.Errorf("%v: read %q, %v; told %d times", c.pause, data, err, told.Load())
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, input := io.Pipe()
		defer input.Close()
		time.AfterFunc(time.Second, cancel)
		if _, err := readAll(ctx, in, func() { t.Error("it is told after it was stopped") }); !errors.Is(err, exit(130)) {
			t.Errorf("a read that is stopped gives %v", err)
		}
		time.Sleep(time.Minute)
	})
}
