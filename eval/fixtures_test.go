package eval

import (
	"strings"
	"testing"
)

func TestToolAnswersLikeAStrictServer(t *testing.T) {
	weather := tool{
		Arguments: map[string]string{"city": "string", "days": "integer?: how many"},
		Answers: []answer{
			{Error: "busy", Once: true}, {If: map[string]any{"city": "Oslo"}, Text: "snow"},
		},
	}
	schema, used := weather.schema(), map[int]bool{}
	for _, tt := range []struct {
		given      map[string]any
		text, want string
	}{
		{map[string]any{"city": "Oslo", "days": "3"}, "", "days"},
		{map[string]any{"city": "Oslo", "unit": "C"}, "", "unit"},
		{map[string]any{}, "", "city"},
		{map[string]any{"city": "Oslo"}, "", "busy"},
		{map[string]any{"city": "oslo", "days": 2.0}, "snow", ""},
		{map[string]any{"city": "Rome"}, "", "nothing is known"},
	} {
		text, err := weather.answer(schema, tt.given, used)
		if text != tt.text || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %q, %v", tt.given, text, err)
		}
	}
}

func TestFillersBecomeLines(t *testing.T) {
	text := expand("{{2 lines}}\nneedle\n{{1 lines}}")
	if lines := strings.Split(text, "\n"); len(lines) != 4 || lines[2] != "needle" || lines[1] == lines[3] {
		t.Errorf("got %q", text)
	}
}
