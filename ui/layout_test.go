package ui

import "testing"

func TestArrange(t *testing.T) {
	one := wants{input: 1}
	for _, c := range []struct {
		name   string
		width  int
		height int
		want   wants
		got    regions
	}{
		{"usual", 80, 24, one, regions{transcript: 18, gap: 1, status: 1, rule: 2, input: 1, footer: 1}},
		{"too narrow for labels", 59, 24, one,
			regions{transcript: 19, gap: 1, status: 1, rule: 1, input: 1, footer: 1}},
		{"too low for labels", 80, 23, one,
			regions{transcript: 18, gap: 1, status: 1, rule: 1, input: 1, footer: 1}},
		{"a draft grows to a third", 80, 24, wants{input: 50},
			regions{transcript: 11, gap: 1, status: 1, rule: 2, input: 8, footer: 1}},
		{"completions", 80, 24, wants{input: 1, list: 12},
			regions{transcript: 10, gap: 1, status: 1, list: 8, rule: 2, input: 1, footer: 1}},
		{"a line of messages", 80, 24, wants{input: 1, queue: 2},
			regions{transcript: 16, gap: 1, status: 1, queue: 2, rule: 2, input: 1, footer: 1}},
		{"attached files", 80, 24, wants{input: 1, attached: 1},
			regions{transcript: 17, gap: 1, status: 1, attached: 1, rule: 2, input: 1, footer: 1}},
		{"attached files in five rows", 80, 5, wants{input: 1, attached: 1},
			regions{transcript: 2, status: 1, input: 1, footer: 1}},
		{"a dialog", 80, 24, wants{input: 50, dialog: true}, regions{transcript: 2, status: 1, input: 20, footer: 1}},
		{"five rows", 80, 5, one, regions{transcript: 2, status: 1, input: 1, footer: 1}},
		{"a dialog in five rows", 80, 5, wants{input: 50, dialog: true}, regions{transcript: 1, status: 1, input: 3}},
		{"three rows", 80, 3, one, regions{transcript: 1, status: 1, input: 1}},
		{"two rows", 80, 2, one, regions{transcript: 1, input: 1}},
		{"one row", 80, 1, one, regions{input: 1}},
	} {
		if got := arrange(c.width, c.height, c.want); got != c.got {
			t.Errorf("%s: arrange(%d, %d, %+v) = %+v, not %+v", c.name, c.width, c.height, c.want, got, c.got)
		}
	}
}

func FuzzArrange(f *testing.F) {
	f.Add(80, 24, 1, 0, 0, 0, false)
	f.Add(60, 1, 9, 9, 9, 9, true)
	f.Fuzz(func(t *testing.T, width, height, input, list, queue, attached int, dialog bool) {
		if height < 1 || height > 1000 {
			return
		}
		r := arrange(width, height, wants{input, list, queue, dialog, attached})
		rows := []int{r.transcript, r.gap, r.status, r.list, r.queue, r.attached, r.rule, r.input, r.footer}
		sum := 0
		for _, n := range rows {
			if n < 0 {
				t.Fatalf("a part has %d rows: %+v", n, r)
			}
			sum += n
		}
		if sum != height || r.input < 1 {
			t.Fatalf("%d rows of %d: %+v", sum, height, r)
		}
	})
}
