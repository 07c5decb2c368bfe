package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // Windows and bare containers have no zones of their own

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/sanitize"
)

// Clock serves the current time. now is time.Now outside tests.
func Clock(now func() time.Time) *server.MCPServer {
	s := newServer("clock", "Clock")
	tool := newTool("now", "Current Time", "The current date and time.", hints{readOnly: true},
		mcp.WithString("zone", mcp.Description("IANA time zone such as Asia/Tokyo; default: the user's own")))
	addTool(s, tool, func(_ context.Context, r mcp.CallToolRequest) (string, error) {
		wanted := ""
		if r.GetArguments()["zone"] != nil {
			var err error
			if wanted, err = text(r, "zone"); err != nil {
				return "", err
			}
		}
		zone, err := location(wanted)
		if err != nil {
			return "", err
		}
		return spell(now().In(zone)), nil
	})
	return s
}

// location finds a time zone by its IANA name. "" is the zone of this machine.
func location(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	switch strings.ToLower(name) {
	case "", "local":
		return time.Local, nil
	case "utc":
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("there is no time zone %q; use an IANA name such as Europe/Berlin or America/New_York", sanitize.Clip(name, 60))
	}
	return zone, nil
}

// spell writes a time so that no model can mistake it: "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00),
// Asia/Tokyo".
func spell(t time.Time) string {
	name := t.Location().String()
	if t.Location() == time.Local {
		name = "the user's own time zone"
	}
	return t.Format("Monday, 2 January 2006, 15:04:05 MST (UTC-07:00), ") + name
}
