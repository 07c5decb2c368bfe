// Package quantity formats durations and numbers for display.
package quantity

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Brief formats the duration of finished work: "0.4s", "18s", "2m05s".
func Brief(took time.Duration) string {
	if took >= 50*time.Millisecond && took < 950*time.Millisecond {
		return fmt.Sprintf("0.%ds", max(1, (took.Milliseconds()+50)/100))
	}
	return Duration(took.Round(time.Second))
}

// Duration formats d in whole seconds: "4s", "1m04s", "2h03m".
func Duration(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
}

// Count formats a number: "412", "12.4k", "128k", "1.2M".
func Count(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(max(n, 0))
	case n < 99_950:
		return tenths(float64(n)/1e3) + "k"
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return tenths(float64(n)/1e6) + "M"
}

// Bytes formats the size of data: "412 bytes", "12.4 kB", "3 MB".
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return tenths(float64(n)/1e3) + " kB"
	}
	return tenths(float64(n)/1e6) + " MB"
}

func tenths(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// PerSecond formats a rate, with tenths below one.
func PerSecond(n int, took time.Duration) string {
	speed := float64(n) / took.Seconds()
	if speed < 1 {
		return tenths(max(speed, 0.1))
	}
	return Count(int(min(speed, 1e9)))
}

// Size formats a multiple of 1024 in binary units, "8k" for 8192, and other numbers like Count.
func Size(tokens int) string {
	if tokens >= 1024 && tokens%1024 == 0 {
		return fmt.Sprintf("%dk", tokens/1024)
	}
	return Count(tokens)
}

// Plural returns "1 tool" or "2 tools".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
