package loop

import (
	"math"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

func TestWindowGrowsInSteps(t *testing.T) {
	for _, tt := range []struct{ need, current, limit, want int }{
		{0, 0, 40960, 8192},
		{6144, 0, 40960, 8192},
		{6145, 0, 40960, 16384},
		{100, 32768, 40960, 32768},
		{2000, 4096, 40960, 4096},
		{2049, 4096, 40960, 8192},
		{39000, 8192, 40960, 40960},
		{100, 8192, 4096, 4096},
		{20000, 6000, 131072, 32768},
		{math.MaxInt, 0, math.MaxInt, math.MaxInt},
	} {
		if got := windowFor(tt.need, tt.current, tt.limit); got != tt.want {
			t.Errorf("windowFor(%d, %d, %d) = %d; want %d", tt.need, tt.current, tt.limit, got, tt.want)
		}
	}
}

func TestMemoryLimitsContext(t *testing.T) {
	for _, tt := range []struct {
		trained          int
		perToken, memory int64
		want             int
	}{
		{0, 0, 0, 0},
		{40960, 0, 1 << 30, 40960},
		{40960, 1 << 17, 0, 40960},
		{40960, 1 << 17, 8 << 30, 40960},
		{131072, 1 << 17, 8<<30 + 5, 65536},
		{0, 1 << 17, 8<<30 - 1, 64512},
		{131072, 1 << 17, 1 << 20, smallestWindow},
		{2048, 1 << 17, 1 << 20, 2048},
		{-1, 1, math.MaxInt64, 1 << 30},
	} {
		if got := affordable(tt.trained, tt.perToken, tt.memory); got != tt.want {
			t.Errorf("affordable(%d, %d, %d) = %d; want %d", tt.trained, tt.perToken, tt.memory, got, tt.want)
		}
	}
}

func TestResultRoom(t *testing.T) {
	for _, tt := range []struct{ used, window, n, want int }{
		{1000, 8192, 1, 18004},
		{1000, 8192, 4, 4501},
		{1000, 8192, 0, 18004},
		{8000, 8192, 2, provider.MinResult},
		{0, 131072, 1, largestResult},
	} {
		if got := resultRoom(tt.used, tt.window, tt.n); got != tt.want {
			t.Errorf("resultRoom(%d, %d, %d) = %d; want %d", tt.used, tt.window, tt.n, got, tt.want)
		}
	}
}
