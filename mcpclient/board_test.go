package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBoardKeepsTheNewestInTheOrderOfTheFirst(t *testing.T) {
	var b Board
	b.Set(ServerStatus{Name: "files", State: ServerStarting})
	b.Set(ServerStatus{Name: "clock", State: ServerOff})
	b.Set(ServerStatus{Name: "files", State: ServerReady, Tools: 3})
	got := b.Servers()
	if len(got) != 2 || got[0].State != ServerReady || got[0].Tools != 3 || got[1].Name != "clock" {
		t.Errorf("got %+v", got)
	}
	got[0].Name = "changed"
	if b.Servers()[0].Name != "files" {
		t.Error("Servers gives no copy")
	}
}

func TestBoardWakesWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Board
		go func() {
			time.Sleep(time.Second)
			b.Set(ServerStatus{Name: "files", State: ServerStarting})
			time.Sleep(time.Second)
			b.Set(ServerStatus{Name: "files", State: ServerReady})
		}()
		begin := time.Now()
		servers, version, err := b.Wait(t.Context(), 0)
		if err != nil || time.Since(begin) != time.Second || servers[0].State != ServerStarting {
			t.Fatalf("after %v: %+v, %v", time.Since(begin), servers, err)
		}
		servers, version, err = b.Wait(t.Context(), version)
		if err != nil || time.Since(begin) != 2*time.Second || servers[0].State != ServerReady {
			t.Fatalf("after %v: %+v, %v", time.Since(begin), servers, err)
		}
		if late, _, err := b.Wait(t.Context(), version-1); err != nil || late[0].State != ServerReady {
			t.Errorf("a late reader gets %+v, %v", late, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, seen, err := b.Wait(ctx, version); !errors.Is(err, context.DeadlineExceeded) || seen != version {
			t.Errorf("nothing happens, and Wait gives %v, %v", seen, err)
		}
	})
}

func TestBoardLosesNoWakeup(t *testing.T) {
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
					b.Set(ServerStatus{Name: fmt.Sprint(w), Tools: i})
				}
			})
		}
		all.Wait() // a lost wakeup leaves a reader waiting for ever, which synctest reports as a deadlock
	})
}

func TestBoardInAnotherOrder(t *testing.T) {
	var b Board
	for _, name := range []string{"a", "b", "c"} {
		b.Set(ServerStatus{Name: name, State: ServerReady})
	}
	_, version, err := b.Wait(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Arrange([]string{"c", "d", "a"})
	servers, _, err := b.Wait(t.Context(), version)
	if err != nil || len(servers) != 2 || servers[0].Name != "c" || servers[1].Name != "a" {
		t.Errorf("got %+v, %v", servers, err)
	}
}
