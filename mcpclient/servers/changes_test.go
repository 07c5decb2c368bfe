package servers_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/mcptest"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// lister is a server with one tool, whose lists the test controls.
type lister struct {
	restless bool          // announces new tools with each list
	broken   bool          // lists fail
	takes    time.Duration // to list
	busy     time.Duration // before the next list
	lists    int
}

func (l *lister) respond(m mcptest.Message, send func(string)) string {
	switch m.Method {
	case "tools/list":
		time.Sleep(l.takes + l.busy)
		l.busy = 0
		if l.lists++; l.restless {
			send(mcptest.ToolsChanged)
		}
		if l.broken {
			return m.Fail(-32603, "the database is locked")
		}
	case "tools/call":
		send(mcptest.ToolsChanged)
	}
	return m.Usual()
}

// listed runs f with a ready lister under fake time.
func listed(t *testing.T, l *lister, f func(t *testing.T, set *servers.Set)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		set := servers.Start(t.Context(), []mcpclient.Server{{Name: "shop", Local: mcptest.Server(l.respond)}},
			servers.Options{Board: new(servers.Board)})
		defer set.Close()
		if err := set.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the other lists are fetched, because the next pause begins then
		f(t, set)
	})
}

// TestListsThatKeepChangingAreFetchedSlowly has a server that announces new tools each time its tools are listed.
func TestListsThatKeepChangingAreFetchedSlowly(t *testing.T) {
	l := &lister{restless: true, takes: 5 * time.Millisecond}
	listed(t, l, func(t *testing.T, set *servers.Set) {
		time.Sleep(time.Hour)
		synctest.Wait()
		if l.lists < 60 || l.lists > 75 {
			t.Errorf("%d lists in an hour", l.lists)
		}
		for range 5 {
			synctest.Wait()
			before, began := l.lists, time.Now()
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__use"}, nil)
			if err != nil || time.Since(began) > time.Second || l.lists > before+2 {
				t.Errorf("a call took %v and %d lists: %v", time.Since(began), l.lists-before, err)
			}
		}
	})
}

// TestCallsNeedTheAnnouncedList has a server that announces new tools, and cannot list them for a while.
func TestCallsNeedTheAnnouncedList(t *testing.T) {
	l := &lister{}
	listed(t, l, func(t *testing.T, set *servers.Set) {
		use := func(judged mcpclient.Fingerprint) error {
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__use", Judged: judged}, nil)
			return err
		}
		judged := mcpclient.FingerprintOf(set.Tools()[0])
		if err := use(judged); err != nil {
			t.Fatal(err)
		}
		l.broken = true
		for range 2 {
			if err := use(judged); err == nil || !strings.Contains(err.Error(), "the database is locked") {
				t.Errorf("the error is %v", err)
			}
		}
		l.broken, l.busy = false, 25*time.Second // longer than the time limit of a list
		if err := use(judged); err != nil {
			t.Error(err)
		}
		if err := use(judged + "x"); !errors.Is(err, mcpclient.ErrToolChanged) {
			t.Errorf("the error is %v", err)
		}
	})
}
