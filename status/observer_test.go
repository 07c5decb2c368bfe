package status_test

import (
	"math"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

func TestPartOfHostileNumbers(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for p, want := range map[[2]float64]float64{
		{40, 120}: 1.0 / 3, {120, 40}: 1, {1e308, 1e-308}: 1, {inf, inf}: 0, {nan, 1}: 0, {1, nan}: 0, {-1, 2}: 0, {1, -2}: 0, {-1, -2}: 0, {0, 0}: 0, {1, inf}: 0, {inf, 1}: 1,
	} {
		part := 0.0
		line := &status.Observer{Show: func(s status.State) { part = s.Part }}
		line.Observe(t.Context(), provider.Began{})
		line.Observe(t.Context(), provider.Running{Calls: []provider.ToolCall{{ID: "1"}}})
		line.Observe(t.Context(), provider.Progress{ID: "1", Progress: mcpclient.Progress{Done: p[0], Total: p[1]}})
		if part != want {
			t.Errorf("part of %v is %v, not %v", p, part, want)
		}
	}
}
