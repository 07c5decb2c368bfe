package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/ui/dialog"
)

// keeper is a set of servers that exist only on a board.
type keeper struct {
	board *servers.Board
	login func(ctx context.Context, person mcpclient.Browser) error
}

func (k *keeper) Restart(ctx context.Context, name string) error {
	k.board.Set(mcpclient.ServerStatus{Name: name, State: mcpclient.ServerStarting, Since: time.Now()})
	select {
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
	}
	k.board.Set(mcpclient.ServerStatus{Name: name, State: mcpclient.ServerReady, Since: time.Now(), Tools: 2,
		Took: 3 * time.Second, Detail: name + " 1.0"})
	return nil
}

func (k *keeper) SwitchServer(name string, on bool) error {
	state := mcpclient.ServerStatus{Name: name, State: mcpclient.ServerOff, Detail: "for this session"}
	if on {
		state = mcpclient.ServerStatus{Name: name, State: mcpclient.ServerReady}
	}
	k.board.Set(state)
	return nil
}

func (k *keeper) LastWords(string) []string { return []string{"listening for questions"} }

func (k *keeper) LogIn(ctx context.Context, name string, person mcpclient.Browser) error {
	if err := k.login(ctx, person); err != nil {
		return err
	}
	return k.SwitchServer(name, true)
}

// troubled are options with a server in each state.
func troubled() (Options, *keeper) {
	o := with(says())
	k := &keeper{board: &servers.Board{}}
	o.Board, o.Servers = k.board, k
	at := time.Date(1999, 12, 31, 23, 45, 0, 0, time.Local)
	for _, s := range []mcpclient.ServerStatus{
		{Name: "files", State: mcpclient.ServerReady, Tools: 2, Took: 1234 * time.Millisecond, Since: at,
			Detail: "secure-filesystem-server 0.2.0"},
		{Name: "github", State: mcpclient.ServerFailed, Since: at, Detail: "exited with status 1 before it was ready",
			Stderr: []string{"npm error code E404", "npm error 404 Not Found", "stdout: \x1b[2JWelcome"}},
		{Name: "notes", State: mcpclient.ServerFailed, Since: at, Detail: "ended by signal: killed"},
		{Name: "linear", State: mcpclient.ServerNeedsLogin, Since: at, LogsIn: true,
			Detail: `"https://mcp.linear.app" wants a login`},
		{Name: "slow", State: mcpclient.ServerStarting},
		{Name: "a-server-with-a-name-of-32-letters", State: mcpclient.ServerOff,
			Detail: "enabled = false in the configuration"},
	} {
		k.board.Set(s)
	}
	return o, k
}

func TestServers(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		o, _ := troubled()
		o.ReadServer = func(string, string) (dialog.NewServer, error) { return dialog.NewServer{}, nil }
		drive(t, width, 24, o, func(d *driver) {
			d.typeText("/servers\n")
			d.press("down")
			d.golden(fmt.Sprintf("servers-%d", width))
			d.press("enter")
			d.golden(fmt.Sprintf("server-failed-%d", width))
			d.press("esc", "up", "enter")
			d.golden(fmt.Sprintf("server-ready-%d", width))
			d.press("esc", "esc")
			d.sees("› Ask anything")
		})
	}
}

func TestNoServers(t *testing.T) {
	o := with(says())
	o.Tools = nil
	drive(t, 80, 24, o, func(d *driver) {
		for _, command := range []string{"/tools\n", "/servers\n"} {
			d.typeText(command)
			d.sees("Tools are off (--no-tools)")
			d.wait(10 * time.Second)
			d.seesNot("Tools are off")
		}
		d.m.options.Tools = newToolbox()
		d.m.options.ReadServer = func(string, string) (dialog.NewServer, error) { return dialog.NewServer{}, nil }
		d.typeText("/servers\n")
		d.sees("No servers configured", "a to add one")
	})
}

func TestServersRestartAndOff(t *testing.T) {
	o, _ := troubled()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "r")
		d.sees("github", "starting")
		d.sees("starting since ")
		d.wait(4 * time.Second)
		d.sees("2 tools · github 1.0")
		d.press(" ")
		d.sees("off · for this session", "to keep it off, set enabled = false")
		d.press(" ")
		d.sees("0 tools")
		d.press("r", "enter")
		d.sees("── github", "The first start may have to install the server")
		d.wait(4 * time.Second)
		d.sees("2 tools · since ", "Last output", "listening for questions")
	})
}

func TestFooterNamesFailedServer(t *testing.T) {
	servers := func(states ...mcpclient.ServerState) (all []mcpclient.ServerStatus) {
		for i, state := range states {
			all = append(all, mcpclient.ServerStatus{Name: string(rune('a' + i)), State: state})
		}
		return all
	}
	const (
		ready, starting, failed, locked, off = mcpclient.ServerReady, mcpclient.ServerStarting, mcpclient.ServerFailed,
			mcpclient.ServerNeedsLogin, mcpclient.ServerOff
	)
	late := servers(ready, starting, starting)
	late[2].Late, late[2].Detail = true, "not ready yet, may be installing · 40s"
	for want, all := range map[string][]mcpclient.ServerStatus{
		"c not ready yet, may be installing · 40s | c not ready yet, may be installing · 40s": late,
		" | ": servers(ready, off),
		"connecting to servers 1/2 | connecting to servers 1/2":     servers(ready, starting),
		"! b failed | b failed":                                     servers(ready, failed, starting),
		"! a failed, b needs login | a failed, 1 more":              servers(failed, locked),
		"! a failed, b failed, d failed, 1 more | a failed, 3 more": servers(failed, failed, ready, failed, failed),
	} {
		n := newsOf(all)
		got := n.long + " | " + n.short
		if n.trouble {
			got = "! " + got
		}
		if got != want {
			t.Errorf("%+v: %q, not %q", all, got, want)
		}
	}
}
