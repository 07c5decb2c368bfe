package mcpclient

import (
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/link"
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
		for i := range link.MaxTools - 1 {
			tools = append(tools, Tool{Server: "flood", ServerTool: fmt.Sprint("tool", round, "_", i)})
		}
		if got := n.name(tools)[0].Name; got != first {
			t.Fatalf("%q is now %q", first, got)
		}
	}
	if len(n.owner) > mostNames+link.MaxTools {
		t.Errorf("%d names are remembered", len(n.owner))
	}
	if got := n.nameOf("a__b", "c"); got == "a__b__c" {
		t.Error("a server took the name of another one's tool")
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a", "b.c")
	f.Fuzz(func(t *testing.T, server, tool string) {
		if name := (&names{}).name([]Tool{{Server: server, ServerTool: tool}})[0].Name; name == "" || len(name) > maxName {
			t.Errorf("%q of %q is called %q", tool, server, name)
		}
	})
}
