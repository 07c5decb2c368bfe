package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestUpWithNothingChosenTakesTheLast(t *testing.T) {
	for n := 1; n < 4; n++ {
		f := newAskValues(t.Context(), nil, mcpclient.Ref{}, []blank{{name: "city"}}, nil)
		f.fits = []string{"Bern", "Oslo", "Rome"}[:n]
		var got []int
		for range n {
			f.key(tea.KeyPressMsg{Code: tea.KeyUp})
			got = append(got, f.chosen)
		}
		for i, at := range got {
			if at != n-1-i {
				t.Errorf("of %d suggestions ↑ goes to %v", n, got)
				break
			}
		}
		f.key(tea.KeyPressMsg{Code: tea.KeyDown})
		if f.chosen != 1%n {
			t.Errorf("of %d, ↓ after the first goes to %d", n, f.chosen)
		}
	}
}
