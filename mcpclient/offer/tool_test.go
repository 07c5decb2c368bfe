package offer

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOneBadToolDoesNotLoseTheOthers(t *testing.T) {
	page := `{"tools":[
		{"name":"good","title":"Good One","description":"d","inputSchema":{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]},
		 "annotations":{"readOnlyHint":true,"openWorldHint":true}},
		{"name":"true","inputSchema":true},
		{"name":"list","inputSchema":{"properties":["a"]}},
		{"name":"php","inputSchema":{"properties":[]}},
		{"name":"bare","outputSchema":null},
		{"name":"odd","title":7,"inputSchema":{"type":["object","null"]},"annotations":{"readOnlyHint":"yes"}},
		{"inputSchema":{}},
		"nonsense\u001b[31m"]}`
	tools, _, remarks := Tools(json.RawMessage(page), Source{Server: "s"}, false)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.ServerTool)
	}
	if got := strings.Join(names, " "); got != "good php bare odd" {
		t.Errorf("kept: %s", got)
	}
	if len(remarks) != 4 || remarks[0] != `left out the tool "true": its schema is not an object` {
		t.Errorf("remarks: %q", remarks)
	}
	good := tools[0]
	if string(good.Schema) != `{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]}` {
		t.Errorf("the schema did not stay as it was: %s", good.Schema)
	}
	if good.Title != "Good One" || !good.ReadOnly || good.Destructive || !good.OpenWorld || good.Trusted {
		t.Errorf("%+v", good)
	}
	if bare := tools[2]; len(bare.Output) > 0 {
		t.Errorf("null announces %s", bare.Output)
	}
	if odd := tools[3]; odd.ReadOnly || !odd.Destructive || odd.Title != "" {
		t.Errorf("%+v", odd)
	}
	if php := tools[1]; string(php.Schema) != `{"properties":{}}` {
		t.Errorf("%s", php.Schema)
	}
}

func TestAToolWithALongName(t *testing.T) {
	tools, _, remarks := Tools([]byte(`{"tools":[{"name":"`+strings.Repeat("n", LongestName)+`"},{"name":"`+strings.Repeat("é", LongestName)+`"}]}`), Source{Server: "s"}, false)
	if len(tools) != 1 || len(remarks) != 1 || !strings.HasSuffix(remarks[0], "its name is longer than 200 bytes") || len(remarks[0]) > 400 {
		t.Errorf("%d tools, remarks %q", len(tools), remarks)
	}
}

func FuzzTools(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"properties":[]}},{"name":"b","inputSchema":{}}]}`))
	f.Fuzz(func(t *testing.T, page []byte) {
		tools, _, _ := Tools(page, Source{Server: "s"}, false)
		for _, tool := range tools {
			var schema map[string]any
			if json.Unmarshal(tool.Schema, &schema) != nil || tool.ServerTool == "" {
				t.Errorf("%+v", tool)
			}
		}
	})
}

func TestAPageOfMillionsOfTools(t *testing.T) {
	page := `{"tools":[{"name":"add","inputSchema":{"type":"object"}}` + strings.Repeat(",{}", 1_000_000) + "]}"
	tools, unread, remarks := Tools(json.RawMessage(page), Source{}, false)
	if len(tools) != 1 || unread != 990_001 || len(remarks) != maxItems-1 {
		t.Errorf("%d tools, %d remarks, first %q", len(tools), len(remarks), remarks[0])
	}
}
