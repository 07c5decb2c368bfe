package conn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestWhatComesFromATemplate(t *testing.T) {
	r := Resource{URI: "town://{town}/{day}", Template: true}
	for uri, want := range map[string]bool{"town://Bern/1": true, "town://": true, "city://Bern/1": false, "town://Bad Ems/1": false} {
		if got := r.Fits(uri); got != want {
			t.Errorf("%s fits %s: %v", uri, r.URI, got)
		}
	}
	if (Resource{URI: "town://{town}"}).Fits("town://Bern") {
		t.Error("what is no template is taken for one")
	}
}

// TestHostileTemplatesCostNothing has templates that would take a library hours and all the memory.
func TestHostileTemplatesCostNothing(t *testing.T) {
	var hostile []map[string]string
	for _, one := range []string{"{a:9999}", "{a}", "{a,b,c}", "{+a}", "{?a*,b:9999}", "{a", "{{a}}", "{}", "%zz{a}", "{a:99999}", "{=a}"} {
		for _, times := range []int{1, 20, 250, 10_000} {
			hostile = append(hostile, map[string]string{"uriTemplate": "a:" + strings.Repeat(one, times)})
		}
	}
	for range 20_000 {
		hostile = append(hostile, map[string]string{"uriTemplate": "a:" + strings.Repeat("{a:9999}", 50)})
	}
	page, _ := json.Marshal(map[string]any{"resourceTemplates": hostile})
	all, cut, err := offering(t, string(page)).Resources(t.Context())
	if err != nil || len(all) > MaxTemplates || len(cut) != 1 {
		t.Errorf("%d templates of a page are kept, %v, %v", len(all), cut, err)
	}
	for _, r := range all {
		if strings.Count(r.URI, "{") > maxArguments {
			t.Errorf("kept: %.100s", r.URI)
		}
	}
	r := Resource{URI: "a:{b:3}", Template: true}
	if uri, err := r.Fill(map[string]string{"b": "12345"}); uri != "a:123" || err != nil || fmt.Sprint(r.Variables()) != "[b]" {
		t.Errorf("%q, %v, %v", uri, err, r.Variables())
	}
}
