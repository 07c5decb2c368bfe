package builtin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

func TestClock(t *testing.T) {
	noon := time.Date(2026, 11, 20, 14, 54, 12, 0, time.UTC)
	c := connect(t, builtin.Clock(func() time.Time { return noon }))
	for zone, want := range map[string]string{
		"Asia/Tokyo":       "Friday, 20 November 2026, 23:54:12 JST (UTC+09:00), Asia/Tokyo",
		"America/New_York": "Friday, 20 November 2026, 09:54:12 EST (UTC-05:00), America/New_York",
		" utc ":            "Friday, 20 November 2026, 14:54:12 UTC (UTC+00:00), UTC",
		"Asia/Dubai":       "Friday, 20 November 2026, 18:54:12 +04 (UTC+04:00), Asia/Dubai",
		"Asia/Calcutta":    "Friday, 20 November 2026, 20:24:12 IST (UTC+05:30), Asia/Calcutta",
	} {
		if got := succeeds(t, c, "now", args{"zone": zone}, "2026"); got != want {
			t.Errorf("%q: got %q, want %q", zone, got, want)
		}
	}
	succeeds(t, c, "now", nil, "the user's own time zone")
	succeeds(t, c, "now", args{"zone": ""}, "November 2026")
	succeeds(t, c, "now", args{"zone": "local"}, "the user's own time zone")
	succeeds(t, c, "now", args{"zone": nil}, "the user's own time zone")
	succeeds(t, c, "now", args{"zone": "UTC", "format": "iso"}, "UTC")
	succeeds(t, c, "now", args{"format": nil}, "the user's own time zone")
	fails(t, c, "now", args{"zone": 5}, `the argument "zone" must be a string`)
	fails(t, c, "now", args{"timezone": "Asia/Tokyo"}, `unknown argument "timezone". Use "zone"`)
	for _, zone := range []string{"Asia/Tokio", "../../etc/passwd", "\x00", strings.Repeat("x", 100000)} {
		answer, failed := call(t, c, "now", args{"zone": zone})
		if !failed || len(answer) > 500 || !strings.Contains(answer, "Use an IANA name such as Europe/Berlin") {
			t.Errorf("%.50q: failed is %v: %q", zone, failed, answer)
		}
	}
}
