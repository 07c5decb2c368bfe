package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/dialog"
)

// shelf reads servers whose trial has a result, or none until it is stopped.
type shelf struct {
	status  mcpclient.ServerStatus
	tools   []mcpclient.Tool
	hangs   bool
	stopped chan struct{} // closed when a trial that hangs was stopped
	added   []string
	full    error
}

func (s *shelf) read(line, name string) (dialog.NewServer, error) {
	switch {
	case strings.Contains(line, "secret"):
		return dialog.NewServer{}, errors.New(`"env" seems to contain a secret`)
	case name == "taken":
		return dialog.NewServer{}, errors.New(`a server "taken" already exists. Use another name`)
	case name == "":
		name = strings.Fields(line + " notes")[0]
	}
	return dialog.NewServer{
		Name: name,
		Try: func(ctx context.Context) (mcpclient.ServerStatus, []mcpclient.Tool) {
			if s.hangs {
				<-ctx.Done()
				close(s.stopped)
			}
			return s.status, s.tools
		},
		Add: func(readOnly, all bool) error {
			s.added = append(s.added, fmt.Sprint(name, " ", readOnly, all))
			return s.full
		},
	}, nil
}

// shelved returns options with a shelf. The first trial finds the tools of a toolbox.
func shelved() (Options, *shelf) {
	o, _ := troubled()
	s := &shelf{status: mcpclient.ServerStatus{State: mcpclient.ServerReady, Tools: 2}, tools: newToolbox().tools}
	o.ReadServer = s.read
	return o, s
}

func TestAddServer(t *testing.T) {
	for _, size := range [][2]int{{40, 15}, {80, 24}, {200, 50}} {
		o, s := shelved()
		drive(t, size[0], size[1], o, func(d *driver) {
			d.typeText("/servers\na").typeText("notes --fast\n")
			d.golden(fmt.Sprintf("addserver-%d", size[0]))
			d.press("enter")
			d.golden(fmt.Sprintf("addserver-tools-%d", size[0]))
			s.status, s.tools = mcpclient.ServerStatus{State: mcpclient.ServerFailed, Detail: "exited with status 3",
				Stderr: []string{"no such \x1b[2Jfolder"}}, nil
			d.press("esc").press("enter")
			d.golden(fmt.Sprintf("addserver-failed-%d", size[0]))
		})
	}
}

func TestAddServerAsksWhatToTrust(t *testing.T) {
	for key, want := range map[string]string{
		"enter": "notes false false", "r": "notes true false", "a": "notes true true",
	} {
		o, s := shelved()
		drive(t, 80, 24, o, func(d *driver) {
			d.typeText("/servers\na").typeText("notes --fast\n").press("enter")
			d.sees("── notes · 2 tools", "read-only (the server's claim)", "may delete or overwrite")
			d.wait(second)
			d.press(key)
			d.sees("── Servers", "Added notes to ~/.config/aloud/config.toml")
			if strings.Join(s.added, ",") != want {
				t.Errorf("%s adds %q, want %q", key, s.added, want)
			}
		})
	}
}

// A key that you pressed for something else does not trust a server.
func TestKeyBeforeTrialCanBeReadTrustsNothing(t *testing.T) {
	for _, key := range []string{"enter", "r", "a"} {
		o, s := shelved()
		drive(t, 80, 24, o, func(d *driver) {
			d.typeText("/servers\na").typeText("notes --fast\n").press("enter")
			for range 100 { // held
				d.press(key)
				d.wait(second / 30)
			}
			d.sees("── notes · 2 tools")
			if len(s.added) > 0 {
				t.Errorf("%s added %q", key, s.added)
			}
			d.press("esc")
			d.sees("Add a server")
		})
	}
}

func TestAddServerReportsMistakesAtOnce(t *testing.T) {
	o, s := shelved()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\na").typeText("secret\n")
		d.sees("› Server", `"env" seems to contain a secret.`)
		d.press("ctrl+u").typeText("notes\n")
		d.sees("› Name *    notes")
		d.press("ctrl+u").typeText("taken\n")
		d.sees("› Name *    taken", `A server "taken" already exists. Use another name.`)
		d.press("ctrl+u").typeText("mine").press("up", "end").typeText(" more\n")
		d.sees("notes more", "› Name *    mine") // your name is kept
		s.full = errors.New("cannot add server \"mine\": the disk is full")
		d.press("enter").wait(second)
		d.press("enter").press("esc")
		d.sees(`Cannot add server "mine": the disk is full.`)
	})
}

func TestAddServerStopsTrial(t *testing.T) {
	o, s := shelved()
	s.hangs, s.stopped = true, nil
	drive(t, 80, 24, o, func(d *driver) {
		s.stopped = make(chan struct{})
		d.typeText("/servers\na").typeText("notes\n").press("enter").wait(second)
		d.sees("── Trying notes", "esc to stop")
		d.press("esc").wait(second)
		<-s.stopped
		d.sees("Add a server", "› Name *    notes")
		d.seesNot("Trying", "── notes")
	})
}

func TestFailedTrialCanBeChanged(t *testing.T) {
	o, s := shelved()
	s.status = mcpclient.ServerStatus{State: mcpclient.ServerFailed, Detail: "not found"}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\na").typeText("notse --fast\n").press("enter")
		d.sees("── notse · failed", "not found")
		d.press("esc")
		d.sees("Add a server", "notse --fast", "› Name *    notse")
		s.status = mcpclient.ServerStatus{State: mcpclient.ServerNeedsLogin, Detail: "it wants a login"}
		d.press("up").press("ctrl+u").typeText("notes\n").press("enter")
		d.sees("── notes · needs login", "press l in the list")
		d.wait(second)
		d.press("enter")
		d.sees("Added notes")
	})
}

func TestDemoAddsNoServer(t *testing.T) {
	o, _ := troubled()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/servers\na")
		d.sees("The demo changes no configuration", "── Servers")
		d.seesNot("to add one")
	})
}
