package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// detailsOf returns the rows below the line of a call.
func detailsOf(c event.ToolCall, width int, whole bool) string {
	st := look.New(nil)
	st.Details, st.Whole = true, whole
	rows := newToolEntry(c).lines(width, &st)[1:]
	for i := range rows {
		rows[i] = plainRow(rows[i])
	}
	return strings.Join(rows, "\n")
}

func TestDetailsByKind(t *testing.T) {
	for name, test := range map[string]struct{ arguments, result, want string }{
		"no arguments": {`{}`, "12:00", "  12:00"},
		"values": {`{"path":"a","lines":20,"deep":{"x":[1]}}`, "",
			"  path: a\n  lines: 20\n  deep: {\n  │   \"x\": [\n  │     1\n  │   ]\n  │ }"},
		"text of several lines": {`{"text":"one\ntwo"}`, "ok", "  text: one\n  │ two\n\n  ok"},
		"a long value": {`{"text":"` + strings.Repeat("word ", 9) + `end"}`, "",
			"  text: word word word word word word\n  │  word word word end"},
		"JSON": {`{}`, ` {"id":42,"tags":["a"]}`,
			"    {\n      \"id\": 42,\n      \"tags\": [\n        \"a\"\n      ]\n    }"},
		"objects": {`{}`, `[{"id":7,"name":"Ada"},{"id":42,"name":"Bob","age":null}]`,
			"  id │ name │ age\n  ───┼──────┼─────\n   7 │ Ada  │\n  42 │ Bob  │ null"},
		"wide objects": {`{}`, `[{"one":1,"two":2,"three":"a long text","four":4,"five":"a-word-of-some-length"}]`,
			"  one: 1\n  two: 2\n  three: a long text\n  four: 4\n  five: a-word-of-some-length"},
		"nested objects": {`{}`, `[{"a":{"b":1}}]`,
			"    [\n      {\n        \"a\": {\n          \"b\": 1\n        }\n      }\n    ]"},
		"mixed elements":  {`{}`, `[{"a":1},2]`, "    [\n      {\n        \"a\": 1\n      },\n      2\n    ]"},
		"text after JSON": {`{}`, `[{"a":1}] and more`, `  [{"a":1}] and more`},
		"invalid JSON":    {`{"a":`, `[{"a":1},{"b":`, "  \"{\\\"a\\\":\"\n\n  [{\"a\":1},{\"b\":"},
		"an image":        {`{}`, "[image: image/png, 32 kB]", "  [image: image/png, 32 kB]"},
	} {
		call := event.ToolCall{Status: event.CallOK, Arguments: json.RawMessage(test.arguments), Result: test.result}
		if got := detailsOf(call, 40, false); got != test.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, test.want)
		}
	}
}

func TestJSONHasColours(t *testing.T) {
	st := look.New(nil)
	st.Details = true
	rows := newToolEntry(event.ToolCall{Result: `{"a":1}`}).lines(40, &st)
	if text := strings.Join(rows[1:], "\n"); !strings.Contains(text, "\x1b[38") {
		t.Errorf("a result of JSON has no colours: %q", text)
	}
	st.Styles = look.MonoStyles()
	rows = newToolEntry(event.ToolCall{Result: `{"a":1}`}).lines(40, &st)
	if text := strings.Join(rows[1:], "\n"); text != ansi.Strip(text) {
		t.Errorf("without colours a result is %q", text)
	}
}

func TestLongDetailsEnd(t *testing.T) {
	var objects []string
	for i := range 3000 {
		objects = append(objects, fmt.Sprintf(`{"id":%d}`, i))
	}
	array := "[" + strings.Join(objects, ",") + "]"
	for name, test := range map[string]struct {
		arguments, result string
		rows, least       int // on the screen, and in the pager
	}{
		"text":               {`{}`, strings.Repeat("x\n", 100), 21, 100},
		"objects":            {`{}`, "[" + strings.Join(objects[:100], ",") + "]", 21, 102},
		"too many objects":   {`{}`, array, 21, 1000},
		"JSON":               {`{}`, `{"a":[` + strings.Repeat("1,", 100) + `1]}`, 21, 105},
		"lines of arguments": {`{"a":"` + strings.Repeat(`x\n`, 100) + `x"}`, "", 21, 101},
		"many arguments":     {`{"a":1` + strings.Repeat(`,"a":1`, 99) + `}`, "", 21, 100},
		"deep JSON":          {`{}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), 21, 100},
		"deep arguments":     {strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000), "", 21, 100},
		"many names": {`{}`, "[{" + strings.Repeat(`"a":1,`, 100) + `"b":1}` + strings.Repeat(`,{"c":1}`, 20) + "]",
			21, 22},
	} {
		call := event.ToolCall{Status: event.CallOK, Arguments: json.RawMessage(test.arguments), Result: test.result}
		text := detailsOf(call, 72, false)
		rows, isCut := strings.Count(text, "\n")+1, strings.HasSuffix(text, " · /pager")
		if rows != test.rows || !isCut {
			t.Errorf("%s: %d rows, want %d:\n%s", name, rows, test.rows, text)
		}
		text = detailsOf(call, 72, true)
		rows, isCut = strings.Count(text, "\n")+1, strings.HasSuffix(text, " · /pager")
		if rows < test.least || isCut {
			t.Errorf("%s: %d rows in the pager, want %d:\n%.2000s", name, rows, test.least, text)
		}
	}
	call := event.ToolCall{Result: array}
	if got := detailsOf(call, 72, true); !strings.HasSuffix(got, "\n  … more") {
		t.Errorf("in the pager a truncated table ends with %q", got[len(got)-100:])
	}
}

func FuzzDetails(f *testing.F) {
	for _, text := range []string{`[{"a":1},{"b":"x\u001b[2J"}]`, `{"a":[1,"two",null,{"x":"日本語"}]}`,
		`[{"a":"👩‍👩‍👧\u202e"}]`,
		"[{}]", "[[", `{"a":"a\n\tb"}`, `{"\u001b[2J":1}`, strings.Repeat("[", 200)} {
		f.Add(text, 40)
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + (width%120+120)%120
		for _, c := range []event.ToolCall{{Arguments: json.RawMessage(text)}, {Result: text},
			{Result: text + strings.Repeat(" ", keptBytes)}} {
			for _, whole := range []bool{false, true} {
				st := look.New(nil)
				st.Details, st.Whole = true, whole
				checkRows(t, newToolEntry(c).lines(width, &st), width, st.Method)
			}
		}
	})
}
