package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"host", "host", 0}, {"", "host", 4},
		{"hst", "host", 1}, {"hosst", "host", 1}, {"hast", "host", 1}, {"hsot", "host", 1}, {"kitten", "sitting", 3},
		{"Zürich", "Zurich", 1},
		{long, long, 0}, {long, long + "yy", 2}, {long, "host", len(long) - 64 + 64},
	} {
		if got := Distance(test.a, test.b); got != test.want {
			t.Errorf("from %.20q to %.20q it is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := Distance(test.b, test.a); got != test.want {
			t.Errorf("from %.20q to %.20q it is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
