package quantity_test

import (
	"math"
	"testing"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
)

func TestDuration(t *testing.T) {
	compare(t, quantity.Duration, map[time.Duration]string{
		-time.Second:                "0s",
		0:                           "0s",
		4900 * time.Millisecond:     "4s",
		59999 * time.Millisecond:    "59s",
		time.Minute:                 "1m00s",
		64 * time.Second:            "1m04s",
		2*time.Hour + 3*time.Minute: "2h03m",
		3600 * time.Second:          "1h00m",
		math.MaxInt64:               "2562047h47m",
		math.MinInt64:               "0s",
	})
}

func TestBytes(t *testing.T) {
	compare(t, quantity.Bytes, map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1 kB",
		1234: "1.2 kB", 999_000: "999 kB", 3_000_000: "3 MB", 5_250_000_000: "5250 MB",
	})
}

func TestCount(t *testing.T) {
	compare(t, quantity.Count, map[int]string{
		-1: "0", 0: "0", 412: "412", 999: "999", 1000: "1k", 2100: "2.1k", 12_412: "12.4k", 99_949: "99.9k", 99_950: "100k",
		128_000: "128k", 999_499: "999k", 999_500: "1M", 1_240_000: "1.2M",
		math.MinInt: "0", 1049: "1k", 1050: "1.1k", 9999: "10k", 99_999: "100k", 1_000_000: "1M", 2_000_000_000: "2000M",
	})
}

func TestBrief(t *testing.T) {
	compare(t, quantity.Brief, map[time.Duration]string{
		-time.Second:             "0s",
		0:                        "0s",
		49 * time.Millisecond:    "0s",
		50 * time.Millisecond:    "0.1s",
		150 * time.Millisecond:   "0.2s",
		950 * time.Millisecond:   "1s",
		1500 * time.Millisecond:  "2s",
		59500 * time.Millisecond: "1m00s",
		125 * time.Second:        "2m05s",
		time.Hour - 1:            "1h00m",
		math.MaxInt64:            "2562047h47m",
	})
}

func TestSpeed(t *testing.T) {
	type speed struct {
		tokens int
		took   time.Duration
	}
	compare(t, func(s speed) string { return quantity.PerSecond(s.tokens, s.took) }, map[speed]string{
		{412, 13 * time.Second}: "31",
		{7, 2 * time.Second}:    "3",
		{1, time.Second}:        "1",
		{1, 2 * time.Second}:    "0.5",
		{1, time.Hour}:          "0.1",
		{128_000, time.Second}:  "128k",
		{math.MaxInt32, 1}:      "1000M", // servers may report it
	})
}

// compare checks the texts for some values.
func compare[T comparable](t *testing.T, format func(T) string, texts map[T]string) {
	t.Helper()
	for value, want := range texts {
		if got := format(value); got != want {
			t.Errorf("%v is %q, want %q", value, got, want)
		}
	}
}
