package offer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestHostileOffersAreLeftOut(t *testing.T) {
	page := json.RawMessage(`{"prompts":[{"name":"good","arguments":[{"name":"a b"},{"name":"x\u0000"},7]},{"name":"bad\u001b[31m"},{"name":" "},{"name":7},"x",null,
		{"name":"` + strings.Repeat("n", 300) + `"},{"name":"odd","arguments":{}}]}`)
	prompts, _ := Prompts(page, "s")
	var names []string
	for _, p := range prompts {
		names = append(names, fmt.Sprint(p.Name, len(p.Arguments)))
	}
	if got := strings.Join(names, " "); got != "good1 odd0" {
		t.Errorf("prompts: %s", got)
	}
	list := json.RawMessage(`{"resources":[{"uri":"file:///a","size":-1},{"uri":"a b:c"},{"uri":"x"},{"uri":"e:\u202e"},{"uri":":x"},{"uri":7},3]}`)
	if got, _ := Resources(list, "resources", "s"); len(got) != 1 || got[0].URI != "file:///a" || got[0].Size != 0 {
		t.Errorf("resources: %+v", got)
	}
	templates := json.RawMessage(`{"resourceTemplates":[{"uriTemplate":"a://{x}"},{"uriTemplate":"a://{x"},{"uriTemplate":"a://x"},{"uriTemplate":"{x}"}]}`)
	if got, _ := Resources(templates, "resourceTemplates", "s"); len(got) != 1 || got[0].URI != "a://{x}" {
		t.Errorf("templates: %+v", got)
	}
}

func FuzzOffers(f *testing.F) {
	f.Add([]byte(`{"resources":[{"uri":"a:b"}],"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		Resources(raw, "resources", "s")
		templates, _ := Resources(raw, "resourceTemplates", "s")
		for _, r := range templates {
			values := map[string]string{}
			for _, name := range r.Variables() {
				values[name] = "x y"
			}
			if uri, err := r.Fill(values); err == nil && !IsURI(uri) {
				t.Errorf("%q became %q", r.URI, uri)
			}
			r.Fits("a:b")
		}
	})
}
