package pace

import (
	"fmt"
	"testing"
	"time"
)

func TestTheMedianOfTheLastLoads(t *testing.T) {
	for _, tt := range []struct {
		name  string
		loads []time.Duration
		want  time.Duration
	}{
		{"none", nil, 0},
		{"one", []time.Duration{9 * time.Second}, 9 * time.Second},
		{"of two the longer", []time.Duration{9 * time.Second, 14 * time.Second}, 14 * time.Second},
		{"one that was odd", []time.Duration{9 * time.Second, 90 * time.Second, 10 * time.Second}, 10 * time.Second},
		{"only the last five", []time.Duration{1e9, 1e9, 1e9, 1e9, 1e9, 7e9, 8e9, 9e9}, 7 * time.Second},
		{"already in memory", []time.Duration{9 * time.Second, 4 * time.Millisecond, 6 * time.Millisecond}, 9 * time.Second},
		{"impossible", []time.Duration{0, -time.Second, 25 * time.Hour}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Open("", here)
			for _, took := range tt.loads {
				b.NoteLoad("m", took)
			}
			if got := b.Load("m"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReadingGoesByPromptsOfLikeSize(t *testing.T) {
	type prompts map[int]time.Duration // by tokens
	for _, tt := range []struct {
		name  string
		reads prompts
		ask   int
		want  time.Duration
	}{
		{"nothing is known", nil, 1000, 0},
		{"the same speed", prompts{1000: 2 * time.Second}, 3000, 6 * time.Second},
		{"up to four times as long", prompts{1000: 2 * time.Second}, 4000, 8 * time.Second},
		{"and no longer", prompts{1000: 2 * time.Second}, 4001, 0},
		{"down to a fourth", prompts{8000: 16 * time.Second}, 2000, 4 * time.Second},
		{"and no shorter", prompts{8000: 16 * time.Second}, 1999, 0},
		{"long prompts read slower", prompts{500: time.Second, 16_000: 80 * time.Second}, 12_000, 60 * time.Second},
		{"short ones faster", prompts{500: time.Second, 16_000: 80 * time.Second}, 1000, 2 * time.Second},
		{"few tokens tell nothing", prompts{199: 9 * time.Second}, 200, 0},
		{"enough do", prompts{200: 9 * time.Second}, 200, 9 * time.Second},
		{"it was in the cache", prompts{12_000: 2 * time.Millisecond}, 12_000, 0},
		{"parts of it were in the cache", prompts{4000: 8 * time.Second, 4001: time.Second, 4002: 8004 * time.Millisecond, 4003: time.Second / 2}, 4000, 8 * time.Second},
		{"most of most was in the cache", prompts{4000: 8 * time.Second, 4001: time.Second, 4002: 8004 * time.Millisecond, 4003: time.Second, 4004: time.Second}, 4000, 8 * time.Second},
		{"those that are nearest", prompts{
			4000: 8 * time.Second, 4001: 8002 * time.Millisecond, 4002: 8004 * time.Millisecond, 4003: 8006 * time.Millisecond, 4004: 8008 * time.Millisecond,
			1100: time.Minute, 1101: time.Minute, 1102: time.Minute, 1103: time.Minute, 1104: time.Minute,
		}, 4000, 8 * time.Second},
		{"one was disturbed", prompts{4000: 8 * time.Second, 4001: 8002 * time.Millisecond, 4002: 8004 * time.Millisecond, 4003: 8006 * time.Millisecond, 4004: time.Hour}, 4000, 8 * time.Second},
		{"no time", prompts{4000: 0}, 4000, 0},
		{"less than none", prompts{4000: -time.Second, -4000: time.Second}, 4000, 0},
		{"too much", prompts{4000: 25 * time.Hour, mostTokens + 1: time.Hour}, 4000, 0},
		{"no tokens are asked for", prompts{200: time.Second}, 0, 0},
		{"less than no tokens are asked for", prompts{200: time.Second}, -200, 0},
		{"no longer than anything takes", prompts{200: 20 * time.Hour}, 800, 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Open("", here)
			for tokens, took := range tt.reads {
				b.NoteRead("m", tokens, took)
			}
			if got := b.Read("m", tt.ask); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A turn begins with a long prompt and goes on with many short ones.
func TestShortPromptsDoNotPushOutTheLongOne(t *testing.T) {
	b := Open("", here)
	b.NoteRead("m", 12_000, 24*time.Second)
	for i := range 500 {
		b.NoteRead("m", 300+i, time.Second)
	}
	if got := b.Read("m", 12_000); got != 24*time.Second {
		t.Errorf("got %v", got)
	}
	if got := len(b.of("m").Reads); got > 3*keptReads {
		t.Errorf("%d are kept", got)
	}
}

// A machine that became faster is seen to be faster soon.
func TestTheNewestCount(t *testing.T) {
	b := Open("", here)
	for _, took := range []time.Duration{20 * time.Second, 10 * time.Second} {
		for range keptReads {
			b.NoteRead("m", 4000, took)
		}
	}
	if got := b.Read("m", 4000); got != 10*time.Second {
		t.Errorf("got %v from %v", got, fmt.Sprint(b.of("m").Reads))
	}
}
