package servers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
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

const newTools = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// Serve implements mcpclient.Local.
func (l *lister) Serve(_ context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(lines.Bytes(), &m)
		answer := ""
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},` +
				`"capabilities":{"tools":{"listChanged":true}}}`
		case "tools/list":
			time.Sleep(l.takes + l.busy)
			l.busy = 0
			if l.lists++; l.restless {
				_, _ = io.WriteString(out, newTools)
			}
			answer = `"result":{"tools":[{"name":"tidy","inputSchema":{"type":"object"}}]}`
			if l.broken {
				answer = `"error":{"code":-32603,"message":"the database is locked"}`
			}
		case "tools/call":
			_, _ = io.WriteString(out, newTools)
			answer = `"result":{"content":[{"type":"text","text":"tidy"}]}`
		}
		if answer != "" {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		}
	}
	return lines.Err()
}

// listed runs f with a ready lister under fake time.
func listed(t *testing.T, l *lister, f func(t *testing.T, set *servers.Set)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		set := servers.Start(t.Context(), []mcpclient.Server{{Name: "shop", Local: l}},
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
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__tidy"}, nil)
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
			_, err := set.Call(t.Context(), mcpclient.Call{Tool: "shop__tidy", Judged: judged}, nil)
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
