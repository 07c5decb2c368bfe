package servers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestBoardKeepsTheNewestInOrder(t *testing.T) {
	var b Board
	b.Set(mcpclient.ServerStatus{Name: "files", State: mcpclient.ServerStarting})
	b.Set(mcpclient.ServerStatus{Name: "clock", State: mcpclient.ServerOff})
	b.Set(mcpclient.ServerStatus{Name: "files", State: mcpclient.ServerReady, Tools: 3})
	got, _, err := b.Wait(t.Context(), 0)
	if err != nil || len(got) != 2 || got[0].State != mcpclient.ServerReady || got[0].Tools != 3 ||
		got[1].Name != "clock" {
		t.Errorf("got %+v, %v", got, err)
	}
	got[0].Name = "changed"
	if b.Servers()[0].Name != "files" {
		t.Error("Wait gives no copy")
	}
}

func TestBoardWakesWaitingReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const writers, sets, readers = 4, 100, 4
		var b Board
		var all sync.WaitGroup
		for range readers {
			all.Go(func() {
				for version := 0; version < writers*sets; {
					_, v, err := b.Wait(t.Context(), version)
					if err != nil || v <= version {
						t.Errorf("after version %d comes %d, %v", version, v, err)
						return
					}
					version = v
				}
			})
		}
		for w := range writers {
			all.Go(func() {
				for i := range sets {
					b.Set(mcpclient.ServerStatus{Name: fmt.Sprint(w), Tools: i})
				}
			})
		}
		all.Wait() // a lost wakeup leaves a reader waiting forever, which synctest reports as a deadlock
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, seen, err := b.Wait(ctx, writers*sets); !errors.Is(err, context.DeadlineExceeded) || seen != writers*sets {
			t.Errorf("nothing happens, and Wait gives %v, %v", seen, err)
		}
	})
}
