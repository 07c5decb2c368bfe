package conn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestInvalidPromptsAndResources(t *testing.T) {
	page := `{"prompts":[{"name":"good","arguments":[{"name":"a b"},{"name":"x\u0000"},7]},
		{"name":"bad\u001b[31m"},{"name":" "},{"name":7},"x",null,
		{"name":"` + strings.Repeat("n", 300) + `"},{"name":"odd","arguments":{}}]}`
	prompts, _, _ := offering(t, page).Prompts(t.Context())
	var names []string
	for _, p := range prompts {
		names = append(names, fmt.Sprint(p.Name, len(p.Arguments)))
	}
	if got := strings.Join(names, " "); got != "good1 odd0" {
		t.Errorf("prompts: %s", got)
	}
	list := `{"resources":[{"uri":"file:///a","size":-1},{"uri":"a b:c"},{"uri":"x"},{"uri":"e:\u202e"},` +
		`{"uri":":x"},{"uri":7},3]}`
	if got, _, _ := offering(t, list).Resources(t.Context()); len(got) != 1 || got[0].URI != "file:///a" {
		t.Errorf("resources: %+v", got)
	}
	templates := `{"resourceTemplates":[{"uriTemplate":"a://{x}"},{"uriTemplate":"a://x"},{"uriTemplate":"{x}"}]}`
	if got, _, _ := offering(t, templates).Resources(t.Context()); len(got) != 1 || got[0].URI != "a://{x}" {
		t.Errorf("templates: %+v", got)
	}
}

func FuzzOffers(f *testing.F) {
	f.Add([]byte(`{"resources":[{"uri":"a:b"}],"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, _, _ := offering(t, string(raw)).Resources(t.Context())
		for _, r := range all {
			if !mcpclient.IsURI(r.URI) {
				t.Errorf("%q is offered", r.URI)
			}
		}
	})
}
