package loop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// TestLastRequestLoadsAndReads checks that the line says Finishing from the last request until the turn stops, and that
// the time left does not pass while the model loads.
func TestLastRequestLoadsAndReads(t *testing.T) {
	last := append(reply{
		{Phase: provider.PhaseLoading}, {Wait: time.Minute, Phase: provider.PhaseReading},
		{Wait: 10 * time.Second, Text: "So "},
	}, speaks(20, step{Text: "word "})...)
	synctest.Test(t, func(t *testing.T) {
		c := chat(script(append(reads(1), last)), toolbox{{"read_page", takes(time.Hour, "page")}})
		c.Limits.TotalTime = 5 * time.Second
		var phases []status.Phase
		for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Read")) {
			s, isState := event.(status.State)
			if !isState || s.Ends.IsZero() && phases == nil {
				continue
			}
			if n := len(phases); n == 0 || phases[n-1] != s.Phase {
				phases = append(phases, s.Phase)
			}
			if finishing := s.Text == status.Finishing; finishing == (s.Phase == status.Stopped) {
				t.Errorf("in %v, the line is %q", s.Phase, s.Text)
			}
			late := s.At.Add(40 * time.Second)
			switch left := s.Left(late); s.Phase {
			case status.Loading:
				if left != 30*time.Second {
					t.Errorf("while the model loads, %v are left", left)
				}
			case status.Reading, status.Processing:
				if left > 0 {
					t.Errorf("in %v, %v are left much later", s.Phase, left)
				}
			}
		}
		want := []status.Phase{status.Processing, status.Loading, status.Reading, status.Formulating, status.Stopped}
		if len(phases) != len(want) {
			t.Errorf("the phases are %v, want %v", phases, want)
		}
	})
}
