package mcpclient

import (
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// TestNamesOfAServerWithoutEnd has a server that announces other tools each time. What it offers keeps its name, and other servers' names stay
// theirs whatever it does.
func TestNamesOfAServerWithoutEnd(t *testing.T) {
	var n names
	other := []Tool{{Server: "a", ServerTool: "b__c"}}
	n.name(other)
	kept := Tool{Server: "flood", ServerTool: "kept!"}
	n.name(other, []Tool{kept})
	first := n.nameOf(kept)
	for round := range 20 {
		tools := []Tool{kept}
		for i := range conn.MaxTools - 1 {
			tools = append(tools, Tool{Server: "flood", ServerTool: fmt.Sprint("tool", round, "_", i)})
		}
		n.name(other, tools)
		if got := tools[0].Name; got != first {
			t.Fatalf("%q is now %q", first, got)
		}
	}
	if len(n.owner) > mostNames+conn.MaxTools {
		t.Errorf("%d names are remembered", len(n.owner))
	}
	late := []Tool{{Server: "a__b", ServerTool: "c"}}
	if n.name(other, late); late[0].Name == "a__b__c" || other[0].Name == "a__b__c" || late[0].Name == other[0].Name {
		t.Errorf("the tools are called %q and %q", other[0].Name, late[0].Name)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a", "b.c")
	f.Fuzz(func(t *testing.T, server, tool string) {
		tools := []Tool{{Server: server, ServerTool: tool}}
		(&names{}).name(tools)
		if name := tools[0].Name; name == "" || len(name) > maxName {
			t.Errorf("%q of %q is called %q", tool, server, name)
		}
	})
}
