package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// flaky makes connections to local servers that can be lost or refused, in a synctest bubble.
type flaky struct {
	t     *testing.T
	set   *Set
	board *Board

	before func(ctx context.Context) error // runs at the beginning of each attempt; may be nil

	mu       sync.Mutex
	refusal  error           // of the next attempts; nil means success
	lost     []chan struct{} // of the connections made so far, to end them
	attempts []time.Time
}

// withFlaky runs a test with such servers after their first start.
func withFlaky(t *testing.T, refusal error, story func(t *testing.T, f *flaky), servers ...mcpclient.Server) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{refusal: refusal}
		f.start(t, nil, servers...)
		defer f.set.Close()
		_ = f.set.Ready(t.Context())
		story(t, f)
	})
}

func (f *flaky) start(t *testing.T, hold <-chan struct{}, servers ...mcpclient.Server) {
	f.t, f.board = t, &Board{}
	f.set = Start(t.Context(), servers, Options{Board: f.board, Hold: hold, dial: f.connect})
	synctest.Wait()
}

func (f *flaky) connect(
	ctx context.Context, config mcpclient.Server, a *elicit.Handler, heard func(),
) (*conn.Conn, error) {
	if f.before != nil {
		if err := f.before(ctx); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempts = append(f.attempts, time.Now())
	if f.refusal != nil {
		return nil, f.refusal
	}
	if config.Local == nil {
		config.Local = inner{MCPServer: workshop(f.t)}
	}
	lost := make(chan struct{})
	local, _ := config.Local.(inner)
	config.Local = inner{local.MCPServer, lost}
	l, err := conn.Dial(ctx, config, a, heard)
	if err == nil {
		f.lost = append(f.lost, lost)
	}
	return l, err
}

func (f *flaky) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusal = err
}

// lose closes the newest connection.
func (f *flaky) lose() {
	f.t.Helper()
	f.mu.Lock()
	close(f.lost[len(f.lost)-1])
	f.lost = f.lost[:len(f.lost)-1]
	f.mu.Unlock()
	synctest.Wait()
}

// pass advances the time, and returns the status of the first server.
func (f *flaky) pass(d time.Duration) mcpclient.ServerStatus {
	time.Sleep(d)
	synctest.Wait()
	return f.board.Servers()[0]
}

func TestLostServerRestarts(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		f.pass(2 * time.Minute)
		f.lose()
		if s := f.pass(0); s.State != mcpclient.ServerReady || len(f.attempts) != 2 {
			t.Errorf("after %d attempts: %+v", len(f.attempts), s)
		}
		f.pass(2 * time.Minute)
		f.refuse(errors.New("exited with status 1"))
		f.lose()
		s := f.pass(time.Hour)
		if want := "exited with status 1; the next call restarts it"; s.State != mcpclient.ServerFailed || s.Detail != want ||
			len(f.attempts) != 3 {
			t.Errorf("after %d attempts: %+v", len(f.attempts), s)
		}
		if len(f.set.Tools()) == 0 {
			t.Error("its tools are gone")
		}
		_, err := f.set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil)
		if want := `server "shop" was disconnected and cannot be restarted: exited with status 1`; err == nil ||
			err.Error() != want {
			t.Errorf("a call: %v", err)
		}
		f.refuse(nil)
		if got := call(t, f.set, "shop__echo", "{}").Text; got != "{}" {
			t.Errorf("a call says %q", got)
		}
		if s := f.pass(0); s.State != mcpclient.ServerReady || s.Detail != "workshop 1.0" {
			t.Errorf("after a call: %+v", s)
		}
	}, mcpclient.Server{Name: "shop"})
}

func TestCallRestartsServerLostEarly(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		f.lose()
		if s := f.pass(time.Hour); s.State != mcpclient.ServerFailed ||
			s.Detail != "has ended; the next call restarts it" {
			t.Errorf("%+v", s)
		}
		began := time.Now()
		if got := call(t, f.set, "shop__echo", "{}").Text; got != "{}" || time.Since(began) != 0 {
			t.Errorf("%q after %v", got, time.Since(began))
		}
		if s := f.pass(time.Hour); s.State != mcpclient.ServerReady || len(f.attempts) != 2 {
			t.Errorf("%d attempts, %+v", len(f.attempts), s)
		}
	}, mcpclient.Server{Name: "shop"})
}

// ask starts a call that hangs, and returns a channel with its error.
func (f *flaky) ask(tool string) <-chan error {
	failed := make(chan error, 1)
	go func() {
		_, err := f.set.Call(f.t.Context(), mcpclient.Call{Tool: tool}, nil)
		failed <- err
	}()
	synctest.Wait()
	return failed
}

func TestTurningServerOffAndOn(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		hanging := f.ask("shop__hang")
		if err := f.set.SwitchServer("shop", false); err != nil {
			t.Error(err)
		}
		if err := <-hanging; err == nil || err.Error() != `server "shop" was turned off during the call` {
			t.Errorf("the call that ran: %v", err)
		}
		s := f.pass(time.Hour)
		if s.State != mcpclient.ServerOff || len(f.set.Tools()) != 0 || len(f.attempts) != 1 {
			t.Errorf("off: %+v, %d tools, %d attempts", s, len(f.set.Tools()), len(f.attempts))
		}
		if settled, all, _ := f.set.Starting(); settled != 0 || all != 0 {
			t.Errorf("%d of %d settled", settled, all)
		}
		if _, err := f.set.Call(t.Context(), mcpclient.Call{Tool: "shop__echo"}, nil); err == nil ||
			!strings.Contains(err.Error(), `server "shop" is off`) {
			t.Errorf("a call: %v", err)
		}
		if err := f.set.SwitchServer("shop", true); err != nil {
			t.Error(err)
		}
		if s := f.pass(0); s.State != mcpclient.ServerReady || len(f.set.Tools()) == 0 {
			t.Errorf("on: %+v", s)
		}
		if err := f.set.SwitchServer("shop", true); err != nil || len(f.attempts) != 2 {
			t.Errorf("on again: %v, %d attempts", err, len(f.attempts))
		}
		if err := f.set.SwitchServer("shops", true); err == nil || err.Error() != `no server "shops"` {
			t.Errorf("one that is not there: %v", err)
		}
	}, mcpclient.Server{Name: "shop"})
}

func TestRestartWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		first := sync.OnceFunc(func() { <-gate })
		f := &flaky{before: func(context.Context) error { first(); return nil }} // ignores its context
		f.start(t, nil, mcpclient.Server{Name: "shop"})
		defer f.set.Close()
		restarted := make(chan error, 1)
		go func() { restarted <- f.set.Restart(t.Context(), "shop") }()
		synctest.Wait()
		close(gate)
		if err := <-restarted; err != nil {
			t.Error(err)
		}
		if s := f.pass(time.Hour); s.State != mcpclient.ServerReady || len(f.attempts) != 2 {
			t.Errorf("%d attempts, %+v", len(f.attempts), s)
		}
		if settled, all, _ := f.set.Starting(); settled != 1 || all != 1 {
			t.Errorf("%d of %d settled", settled, all)
		}
	})
}

func TestRestartFails(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		hanging := f.ask("shop__hang")
		f.refuse(errors.New("exited with status 1 and hunter22"))
		err := f.set.Restart(t.Context(), "shop")
		if err == nil || err.Error() != `cannot start server "shop": exited with status 1 and •••` {
			t.Errorf("Restart: %v", err)
		}
		if err := <-hanging; err == nil || err.Error() != `server "shop" was restarted during the call` {
			t.Errorf("the call that ran: %v", err)
		}
		if s := f.pass(time.Hour); s.State != mcpclient.ServerFailed || len(f.attempts) != 2 {
			t.Errorf("%d attempts, %+v", len(f.attempts), s)
		}
	}, mcpclient.Server{Name: "shop", Secrets: []string{"hunter22"}})
}

// door is a login that calls open when it succeeds.
type door struct {
	mcpclient.Login
	fails error
	open  func()
}

func (d *door) Secrets() []string { return nil }

func (d *door) LogIn(context.Context, mcpclient.Browser) error {
	if d.fails == nil {
		d.open()
	}
	return d.fails
}

func TestLogIn(t *testing.T) {
	way := &door{fails: errors.New("nobody came")}
	withFlaky(t, fmt.Errorf("401: %w", mcpclient.ErrLoginNeeded), func(t *testing.T, f *flaky) {
		way.open = func() { f.refuse(nil) }
		if err := f.set.LogIn(t.Context(), "shop", nil); err == nil ||
			err.Error() != `login to server "shop" failed: nobody came` {
			t.Errorf("LogIn: %v", err)
		}
		if s := f.pass(0); s.State != mcpclient.ServerNeedsLogin {
			t.Errorf("after a login that did not work: %+v", s)
		}
		way.fails = nil
		if err := f.set.LogIn(t.Context(), "shop", nil); err != nil || f.pass(0).State != mcpclient.ServerReady {
			t.Errorf("LogIn: %v, %+v", err, f.pass(0))
		}
		if err := f.set.LogIn(t.Context(), "plain", nil); err == nil ||
			!strings.Contains(err.Error(), "does not support login") {
			t.Errorf("a server without: %v", err)
		}
		for _, s := range f.board.Servers() {
			if s.LogsIn != (s.Name == "shop") {
				t.Errorf("a person can log in to %q: %v", s.Name, s.LogsIn)
			}
		}
	}, mcpclient.Server{Name: "shop", URL: "http://x", Login: way}, mcpclient.Server{Name: "plain", URL: "http://x"})
}

func TestClosedSetStartsNothing(t *testing.T) {
	withFlaky(t, nil, func(t *testing.T, f *flaky) {
		f.set.Close()
		if err := f.set.Restart(t.Context(), "shop"); !errors.Is(err, errClosed) {
			t.Errorf("Restart: %v", err)
		}
	}, mcpclient.Server{Name: "shop"})
}

func TestHoldDelaysStart(t *testing.T) {
	for _, isDrawn := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			drawn, f := make(chan struct{}), &flaky{}
			f.start(t, drawn, mcpclient.Server{Name: "shop", StartupTimeout: time.Minute})
			defer f.set.Close()
			if is := f.pass(time.Hour); is.State != mcpclient.ServerStarting || len(f.attempts) != 0 {
				t.Errorf("before the screen is there the server is %+v, after %d attempts", is, len(f.attempts))
			}
			if isDrawn {
				close(drawn)
				if is := f.pass(0); is.State != mcpclient.ServerReady {
					t.Errorf("with the screen there the server is %+v", is)
				}
			}
		})
	}
}

func TestCallCancelledDuringRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{}
		f.start(t, nil, mcpclient.Server{Name: "shop"})
		defer f.set.Close()
		f.before = func(ctx context.Context) error {
			<-ctx.Done() // a slow login
			return ctx.Err()
		}
		f.lose()
		f.pass(0)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := f.set.Call(ctx, mcpclient.Call{Tool: "shop__echo"}, nil)
		if want := `the call of "shop__echo" was stopped, and it was not sent to the server`; err == nil ||
			err.Error() != want || !errors.Is(err, mcpclient.ErrUnasked) {
			t.Errorf("it says %v, want %s", err, want)
		}
	})
}

// TestOfferingEndsWhenARestartFails waits for a server that fails again.
func TestOfferingEndsWhenARestartFails(t *testing.T) {
	withFlaky(t, errors.New("failure 1"), func(t *testing.T, f *flaky) {
		gate := make(chan struct{})
		f.before = func(context.Context) error {
			<-gate
			return errors.New("failure 2")
		}
		go func() { _ = f.set.Restart(t.Context(), "shop") }()
		synctest.Wait()
		told := make(chan error, 1)
		go func() { told <- f.set.Offering(t.Context(), "shop") }()
		synctest.Wait()
		close(gate)
		if err := <-told; err == nil || err.Error() != `server "shop" is not available: failure 2` {
			t.Errorf("it says %v", err)
		}
	}, mcpclient.Server{Name: "shop"})
}
