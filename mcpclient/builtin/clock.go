package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // Windows and bare containers have no zones of their own

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Clock returns a server for the current time. now is time.Now except in tests.
func Clock(now func() time.Time) *Server {
	return &Server{name: "clock", answers: map[string]handler{
		"now": func(_ context.Context, a arguments) (string, error) {
			name, err := a.optional("zone")
			if err != nil {
				return "", err
			}
			zone, err := location(name)
			if err != nil {
				return "", err
			}
			return format(now().In(zone)), nil
		},
	}}
}

// location returns a time zone by its IANA name, and the local zone for "".
func location(name string) (*time.Location, error) {
	switch name = strings.TrimSpace(name); {
	case name == "", strings.EqualFold(name, "local"):
		return time.Local, nil
	case strings.EqualFold(name, "utc"):
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("no time zone %q. Use an IANA name such as Europe/Berlin", sanitize.Clip(name, 60))
	}
	return zone, nil
}

// format formats a time so that models cannot misread it:
// "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00), Asia/Tokyo".
func format(t time.Time) string {
	name := t.Location().String()
	if t.Location() == time.Local {
		name = "the user's own time zone"
	}
	return t.Format("Monday, 2 January 2006, 15:04:05 MST (UTC-07:00), ") + name
}
