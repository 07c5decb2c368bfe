package status_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

// wide is a drawing that drops no segment.
func wide(still bool) status.Drawing {
	return status.Drawing{Width: 500, Hint: "esc stops", Still: still}
}

// anyState returns a random state, whose times are before it.
func anyState(r *rand.Rand, now time.Time) status.State {
	ago := func(most time.Duration) time.Time {
		if r.IntN(4) == 0 {
			return time.Time{}
		}
		return now.Add(-time.Duration(r.Int64N(int64(most))))
	}
	most := []time.Duration{30 * time.Second, 2 * time.Minute, 3 * time.Hour}[r.IntN(3)]
	s := status.State{
		Phase: phases[r.IntN(len(phases)-1)], // the last one is Stopped
		Since: now.Add(-time.Duration(r.Int64N(int64(most)))), At: ago(most), Heard: ago(most),
		Worked: time.Duration(r.Int64N(int64(most))),
		Paused: r.IntN(4) == 0, Round: r.IntN(3), Rounds: 10, Tokens: r.IntN(3),
	}
	if r.IntN(8) == 0 {
		s.Ends = now.Add(time.Duration(r.Int64N(int64(30 * time.Second))))
	}
	if r.IntN(2) == 0 {
		s.Expected = time.Duration(r.Int64N(int64(most)))
	}
	return s
}

func TestLineSameWhileSteady(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11)) // the same states in each run
	forever := 0
	for range 20_000 {
		s, now, still := anyState(r, noon), noon, r.IntN(3) == 0
		line := s.Line(now, wide(still))
		steady := s.Steady(now, still)
		if steady < 0 {
			t.Fatalf("%+v is steady for %v", s, steady)
		}
		if steady == 0 {
			forever++
			if later := s.Line(now.Add(time.Duration(r.Int64N(int64(100*time.Hour)))), wide(still)); later != line {
				t.Fatalf("%+v\nis steady for ever, but %q became %q", s, line, later)
			}
			continue
		}
		for _, part := range []float64{r.Float64(), r.Float64(), 0.999} {
			if at := s.Line(now.Add(time.Duration(part*float64(steady-1))), wide(still)); at != line {
				t.Fatalf("%+v\nis steady for %v, but at %v of it %q became %q", s, steady, part, line, at)
			}
		}
		if at := s.Line(now.Add(steady-1), wide(still)); at != line {
			t.Fatalf("%+v\nis steady for %v, but just before %q became %q", s, steady, line, at)
		}
	}
	if forever < 1000 || forever > 19_000 {
		t.Errorf("%d of 20,000 states are steady for ever, so one half is not tested", forever)
	}
}

// taken returns the state as measured at a later time.
func taken(s status.State, now time.Time) status.State {
	if s.Paused && !s.Ends.IsZero() {
		s.Ends = now.Add(s.Left(now))
	}
	s.Worked, s.At = s.Elapsed(now), now
	return s
}

// Counts change several times a second, each time in a new state.
func TestLineIndependentOfStateTime(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 17))
	for range 5000 {
		s, still := anyState(r, noon), r.IntN(3) == 0
		if s.At.IsZero() || s.At.Before(s.Since) {
			continue
		}
		between := s.At.Add(time.Duration(r.Float64() * float64(noon.Sub(s.At))))
		want := s.Line(noon, wide(still))
		for _, at := range []time.Time{between, noon} {
			if got := taken(s, at).Line(noon, wide(still)); got != want {
				t.Fatalf("%+v\nis %q, taken %v before it is %q", s, want, noon.Sub(at), got)
			}
		}
	}
}

func TestSteady(t *testing.T) {
	running := status.State{Phase: status.Thinking, Since: noon.Add(-4300 * time.Millisecond), At: noon,
		Heard: noon.Add(-4 * time.Second)}
	hours := status.State{Phase: status.UsingTool, Since: noon.Add(-time.Hour - 20*time.Second)}
	asked := status.State{Phase: status.Approval, Worked: time.Minute, At: noon, Paused: true}
	ahead := status.State{Phase: status.Thinking, Since: noon.Add(3 * time.Second)}
	for _, c := range []struct {
		name  string
		state status.State
		still bool
		want  time.Duration
	}{
		{"a clock that runs", running, false, 700 * time.Millisecond},
		{"no clock runs, but there may be silence", running, true, 6 * time.Second},
		{"minutes", hours, false, time.Second},
		{"hours, still", hours, true, 0},
		{"paused", asked, false, 0},
		{"a clock that was set back", ahead, false, 4 * time.Second},
		{"idle", status.State{At: noon, Since: noon}, false, 0},
		{"stopped", status.State{Phase: status.Stopped, At: noon, Since: noon}, false, 0},
	} {
		if got := c.state.Steady(noon, c.still); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
