package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestASilentInputIsToldOnce: neither one that ends, nor one that goes on, nor one that was told of already is worth a word.
func TestASilentInputIsToldOnce(t *testing.T) {
	for name, c := range map[string]struct {
		pauses []time.Duration // before each piece, and before the end
		told   int
	}{
		"it ends at once":  {[]time.Duration{0}, 0},
		"it goes on":       {[]time.Duration{time.Second, time.Second, time.Second}, 0},
		"it says nothing":  {[]time.Duration{3 * time.Second}, 1},
		"it falls silent":  {[]time.Duration{time.Second, time.Hour}, 1},
		"it does so twice": {[]time.Duration{time.Hour, time.Hour}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, input := io.Pipe()
				go func() {
					for i, pause := range c.pauses {
						time.Sleep(pause)
						if i < len(c.pauses)-1 {
							io.WriteString(input, "x")
						}
					}
					input.Close()
				}()
				var told atomic.Int32
				data, err := readAll(t.Context(), in, func() { told.Add(1) })
				time.Sleep(time.Minute) // nothing is said once it has ended
				if want := strings.Repeat("x", len(c.pauses)-1); err != nil || string(data) != want || int(told.Load()) != c.told {
					t.Errorf("read %q, %v; told %d times", data, err, told.Load())
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, input := io.Pipe()
		defer input.Close()
		time.AfterFunc(time.Second, cancel)
		if _, err := readAll(ctx, in, func() { t.Error("it is told after it was stopped") }); !errors.Is(err, exitError(130)) {
			t.Errorf("a read that is stopped gives %v", err)
		}
		time.Sleep(time.Minute)
	})
}
