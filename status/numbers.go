package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Brief is a time that is over: "0.4s", "18s", "2m05s".
func Brief(took time.Duration) string {
	if took >= 50*time.Millisecond && took < 950*time.Millisecond {
		return fmt.Sprintf("0.%ds", max(1, (took.Milliseconds()+50)/100))
	}
	return Duration(took.Round(time.Second))
}

// Duration is d in whole seconds as the line shows it: "4s", "1m04s", "2h03m".
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

// Count is a number of tokens as the line shows it: "412", "12.4k", "128k", "1.2M".
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

func tenths(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// perSecond is a speed in whole tokens, and in tenths where less than one comes in a second.
func perSecond(n int, took time.Duration) string {
	speed := float64(n) / took.Seconds()
	if speed < 1 {
		return tenths(max(speed, 0.1))
	}
	return Count(int(min(speed, 1e9)))
}
