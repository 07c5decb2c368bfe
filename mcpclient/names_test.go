package mcpclient

import (
	"fmt"
	"strings"
	"testing"
)

// TestNamesOfAServerWithoutEnd has a server that announces other tools each time. What it offers keeps its name, and other servers' names stay
// theirs whatever it does.
func TestNamesOfAServerWithoutEnd(t *testing.T) {
	var n names
	n.name([]Tool{{Server: "a", ServerTool: "b__c"}})
	kept := Tool{Server: "flood", ServerTool: "kept!"}
	first := n.nameOf(kept.Server, kept.ServerTool)
	for round := range 20 {
		tools := []Tool{kept}
		for i := range maxTools - 1 {
			tools = append(tools, Tool{Server: "flood", ServerTool: fmt.Sprint("tool", round, "_", i)})
		}
		if got := n.name(tools)[0].Name; got != first {
			t.Fatalf("%q is now %q", first, got)
		}
	}
	if len(n.owner) > mostNames+maxTools {
		t.Errorf("%d names are remembered", len(n.owner))
	}
	if got := n.nameOf("a__b", "c"); got == "a__b__c" {
		t.Error("a server took the name of another one's tool")
	}
}

func TestAToolWithALongName(t *testing.T) {
	tools, remarks := readTools([]byte(`{"tools":[{"name":"`+strings.Repeat("n", longestName)+`"},{"name":"`+strings.Repeat("é", longestName)+`"}]}`), Server{Name: "s"}, false)
	if len(tools) != 1 || len(remarks) != 1 || !strings.HasSuffix(remarks[0], "its name is longer than 200 bytes") || len(remarks[0]) > 400 {
		t.Errorf("%d tools, remarks %q", len(tools), remarks)
	}
}
