package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/jsonschema"
)

// many joins n texts that a format makes of their numbers.
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

// TestHostileSchemas checks values by schemas that ask for as much work as they can. Without bounds each takes minutes,
// or gigabytes.
func TestHostileSchemas(t *testing.T) {
	small := "[" + many(20_000, "{}") + "]"
	for name, c := range map[string]struct{ schema, value string }{
		"names that are required":  {`{"items":{"required":[` + many(200_000, `"%d"`) + `]}}`, small},
		"types":                    {`{"items":{"type":[` + many(200_000, `"%d"`) + `]}}`, small},
		"forms within each other":  {`{"anyOf":[{"$ref":"#"},` + many(350_000, "true") + `]}`, "1"},
		"parts within each other":  {`{"allOf":[{"$ref":"#"},` + many(350_000, "true") + `]}`, "1"},
		"forms with many faults":   {`{"$defs":{"a":{"required":[` + many(200, `"%d"`) + `]}},"anyOf":[` + many(80_000, `{"$ref":"#/$defs/a"}`) + `]}`, "{}"},
		"constants":                {`{"$defs":{"a":{"const":[` + many(200_000, "1") + `]}},"allOf":[` + many(50_000, `{"$ref":"#/$defs/a"}`) + `]}`, "[" + many(200_000, "1") + "]"},
		"long texts":               {`{"$defs":{"a":{"enum":["` + strings.Repeat("b", 1<<19) + `"]}},"allOf":[` + many(50_000, `{"$ref":"#/$defs/a"}`) + `]}`, `"` + strings.Repeat("a", 1<<19) + `"`},
		"patterns":                 {`{"items":{"pattern":"^(a+)+$"}}`, "[" + many(50_000, `"aaaaaaaaaaaaaaaab"`) + "]"},
		"references to themselves": {`{"$ref":"#"}`, "1"},
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

// TestPatternsShareOneBound has patterns that take gigabytes when all of them are compiled. Those beyond the bound
// accept everything.
func TestPatternsShareOneBound(t *testing.T) {
	const n = 200
	s, _ := jsonschema.Parse(json.RawMessage(`{"items":{"anyOf":[` + many(n, `{"pattern":"^%d`+strings.Repeat("x{1000}", 250)+`"}`) + `]}}`))
	faults, known := new(jsonschema.Check).Validate(s, []any{"y"})
	if len(faults) > 0 || !known {
		t.Errorf("all patterns were understood: %v", faults)
	}
}
