package eval

import "testing"

func TestNumbersAreFoundInEveryForm(t *testing.T) {
	for text, want := range map[string]float64{
		"1234": 1234, "It is 1,234.": 1234, "**1.234**": 1234, "1'234": 1234, "1\u202f234 km": 1234, "1.234": 1.234,
		"39,50 €": 39.5, "$39.50": 39.5, "1,250.50": 1250.5, "1.250,50": 1250.5, "-3 °C": -3, "(−3)": -3,
		"It is minus 3 °C": -3, "now: –3": -3,
		"10–12":    12,
		"3-5 days": 5, "7 of 12": 12, "on 2026-03-14": 3, "1,204,000": 1204000, "`42`": 42, "18:41": 41,
	} {
		if !hasNumber(numbersIn(text), want) {
			t.Errorf("%q lacks %v: %v", text, want, numbersIn(text))
		}
	}
	for text, wrong := range map[string]float64{
		"12345": 1234, "-3": 3, "3": -3, "1.5": 15, "room A4": 4, "none": 0, "2026-03-14": -3,
	} {
		if hasNumber(numbersIn(text), wrong) {
			t.Errorf("%q has %v: %v", text, wrong, numbersIn(text))
		}
	}
}

func TestTimesAreFoundInEveryForm(t *testing.T) {
	for _, text := range []string{"18:41", "6:41 PM", "6:41pm", "18.41 Uhr", "18h41", "18時41分", "18:41:00",
		"at 6:41 p.m."} {
		if !hasTime(text, "18:41") {
			t.Errorf("%q is not 18:41", text)
		}
	}
	for _, text := range []string{"6:41", "6:41 AM", "18:42", "41", "1841", ""} {
		if hasTime(text, "18:41") {
			t.Errorf("%q is 18:41", text)
		}
	}
	if !hasTime("3 pm", "15:00") || !hasTime("12:05 am", "00:05") || hasTime("15 people", "15:00") {
		t.Error("whole hours are wrong")
	}
}

func TestWordsAreWhole(t *testing.T) {
	for _, tt := range []struct {
		text, words string
		want        bool
	}{
		{"It is **Paris**.", "paris", true}, {"Parisian", "Paris", false}, {"in München", "Munich|München", true},
		{"今日は土曜日です", "土曜", true}, {"I can’t", "can't", true}, {"snowman in snow", "snow", true}, {"", "a", false},
		{"100 flights", "0", false}, {"nono", "no", false}, {"abc", "a|", false}, {"abc", "", false},
	} {
		if got := hasWord(tt.text, tt.words); got != tt.want {
			t.Errorf("hasWord(%q, %q) = %v", tt.text, tt.words, got)
		}
	}
}

func TestArgumentsAreComparedAsValues(t *testing.T) {
	given := map[string]any{"n": 3.0, "city": "OSLO ", "on": true, "list": []any{"a"},
		"map": map[string]any{"n": 1.0, "m": 2.0}, "numbers": []any{1.0, 2.5}}
	for name, want := range map[string]map[string]any{
		"a whole number": {"n": int64(3)}, "a number": {"n": 3.0}, "a text without case": {"city": "Bergen|Oslo"},
		"a boolean": {"on": true}, "a list": {"list": []any{"a"}}, "nothing": nil,
		"a list of numbers": {"numbers": []any{int64(1), 2.5}}, "a table": {"map": map[string]any{"n": int64(1)}},
		"a choice in a list": {"list": []any{"a|b"}},
	} {
		if !fits(want, given) {
			t.Errorf("%s does not fit", name)
		}
	}
	for name, want := range map[string]map[string]any{
		"another number": {"n": 3.5}, "a missing one": {"zone": "x"}, "a text for a number": {"n": "3"},
		"another text": {"city": "Bergen"}, "another boolean": {"on": false},
		"a longer list": {"list": []any{"a", "a"}}, "another table": {"map": map[string]any{"n": int64(2)}},
		"a table for a list": {"list": map[string]any{}},
	} {
		if fits(want, given) {
			t.Errorf("%s fits", name)
		}
	}
}
