package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// many joins n texts, formatted with their numbers.
func many(n int, format string) string {
	var out strings.Builder
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		if strings.Contains(format, "%") {
			fmt.Fprintf(&out, format, i)
		} else {
			out.WriteString(format)
		}
	}
	return out.String()
}

// Without limits, each of these schemas takes minutes or gigabytes.
func TestHostileSchemas(t *testing.T) {
	small := "[" + many(20_000, "{}") + "]"
	long := strings.Repeat("b", 1<<19)
	repeat := func(keyword, part string) string {
		return `{"$defs":{"a":` + part + `},"` + keyword + `":[` + many(50_000, `{"$ref":"#/$defs/a"}`) + `]}`
	}
	for name, c := range map[string]struct{ schema, value string }{
		"required":       {`{"items":{"required":[` + many(200_000, `"%d"`) + `]}}`, small},
		"types":          {`{"items":{"type":[` + many(200_000, `"%d"`) + `]}}`, small},
		"nested anyOf":   {`{"anyOf":[{"$ref":"#"},` + many(350_000, "true") + `]}`, "1"},
		"nested allOf":   {`{"allOf":[{"$ref":"#"},` + many(350_000, "true") + `]}`, "1"},
		"many faults":    {repeat("anyOf", `{"required":[`+many(200, `"%d"`)+`]}`), "{}"},
		"constants":      {repeat("allOf", `{"const":[`+many(200_000, "1")+`]}`), "[" + many(200_000, "1") + "]"},
		"long strings":   {repeat("allOf", `{"enum":["`+long+`"]}`), `"a` + long[1:] + `"`},
		"patterns":       {`{"items":{"pattern":"^(a+)+$"}}`, "[" + many(50_000, `"aaaaaaaaaaaaaaaab"`) + "]"},
		"reference loop": {`{"$ref":"#"}`, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			s, ok := jsonschema.Parse(json.RawMessage(c.schema))
			if !ok {
				t.Fatal("not parsed")
			}
			value, ok := jsonschema.Decode([]byte(c.value))
			if !ok {
				t.Fatal("not decoded")
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			new(jsonschema.Check).Validate(s, value)
			runtime.ReadMemStats(&after)
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 500 {
				t.Errorf("it took %d MB", mb)
			}
		})
	}
}

// Compiling all of these patterns takes gigabytes. Those beyond the limit accept everything.
func TestPatternLimit(t *testing.T) {
	const n = 200
	patterns := many(n, `{"pattern":"^%d`+strings.Repeat("x{1000}", 250)+`"}`)
	s, _ := jsonschema.Parse(json.RawMessage(`{"items":{"anyOf":[` + patterns + `]}}`))
	faults, known := new(jsonschema.Check).Validate(s, []any{"y"})
	if len(faults) > 0 || !known {
		t.Error(faults, known)
	}
}
