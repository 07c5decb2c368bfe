package conn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestWhatComesFromATemplate(t *testing.T) {
	for template, stories := range map[string]map[string]bool{
		"town://{town}/{day}":        {"town://Bern/1": true, "town://Bad%20Ems/1": true, "town:///": true, "town://Bern/1/2": false, "town://Bern": false, "city://Bern/1": false},
		"file:///{+path}":            {"file:///": true, "file:///home/ada/a.txt?x#y": true, "file://host/a": false, "file:///a b": false},
		"repo://{owner}{/path*}":     {"repo://ada": true, "repo://ada/a/b": true, "repo://ada?x": false},
		"find://all{?q,page:3}":      {"find://all": true, "find://all?q=a&page=17": true, "find://all/x": false},
		"find://all?fixed=1{&more*}": {"find://all?fixed=1&a=b&c=d": true, "find://all?fixed=2": false},
		"doc://{name}{.kind}{#part}": {"doc://a.txt#one/two": true, "doc://a": true, "doc://a/b": false},
		"a.b://{x}+(y)":              {"a.b://1+(y)": true, "aXb://1+(y)": false, "a.b://11y": false},
	} {
		r := Resource{URI: template, Template: true}
		for uri, want := range stories {
			if got := r.Fits(uri); got != want {
				t.Errorf("%s fits %s: %v", uri, template, got)
			}
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
		if r.Fits("a:" + strings.Repeat("1", LongestURI-3) + " ") {
			t.Errorf("%.100s fits what is no address", r.URI)
		}
	}
	r := Resource{URI: "a:{b:3}", Template: true}
	if uri, err := r.Fill(map[string]string{"b": "12345"}); uri != "a:123" || err != nil || fmt.Sprint(r.Variables()) != "[b]" {
		t.Errorf("%q, %v, %v", uri, err, r.Variables())
	}
}
