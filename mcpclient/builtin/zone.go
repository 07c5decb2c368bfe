package builtin

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/spelling"
)

// zones are the names that the IANA gives to places, one a line. There are more that work; these are the ones to suggest.
//
//go:embed zones.txt
var zones string

// location finds a time zone by its name, or by its place alone when only one zone has it: "tokyo". "" is the zone of this machine.
func location(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	if name == "" || strings.EqualFold(name, "local") {
		return time.Local, nil
	}
	if strings.EqualFold(name, "utc") || strings.EqualFold(name, "gmt") || strings.EqualFold(name, "z") {
		return time.UTC, nil
	}
	if zone, err := time.LoadLocation(name); err == nil {
		return zone, nil
	}
	if same := sameZones(name); len(same) == 1 {
		if zone, err := time.LoadLocation(same[0]); err == nil {
			return zone, nil
		}
	}
	near := nearZones(name)
	if len(near) == 0 {
		return nil, fmt.Errorf("there is no time zone %q; use an IANA name such as Europe/Berlin or America/New_York", sanitize.Clip(name, 60))
	}
	return nil, fmt.Errorf("there is no time zone %q; the nearest names are %s", sanitize.Clip(name, 60), strings.Join(near, ", "))
}

// sameZones are the zones with this name or place, whatever its case, its blanks and underscores.
func sameZones(name string) []string {
	name = fold(name)
	var same []string
	for zone := range strings.Lines(zones) {
		zone = strings.TrimSpace(zone)
		if fold(zone) == name || fold(place(zone)) == name {
			same = append(same, zone)
		}
	}
	return same
}

// nearZones are at most three zones that somebody could have meant, the likeliest first.
func nearZones(name string) []string {
	type candidate struct {
		zone  string
		edits int
	}
	name = sanitize.Clip(name, 60)
	full, here := fold(name), fold(place(name))
	var near []candidate
	for zone := range strings.Lines(zones) {
		zone = strings.TrimSpace(zone)
		there := fold(place(zone))
		edits := min(spelling.Distance(here, there), spelling.Distance(full, fold(zone)))
		if len(there) >= 4 && strings.Contains(full, there) { // "Tokyo, Japan"
			edits = min(edits, 1)
		}
		if edits <= max(1, len(here)/3) {
			near = append(near, candidate{zone, edits})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var names []string
	for _, c := range near[:min(len(near), 3)] {
		names = append(names, c.zone)
	}
	return names
}

// place is the last part of a zone's name.
func place(zone string) string { return zone[strings.LastIndexByte(zone, '/')+1:] }

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(s))
}
