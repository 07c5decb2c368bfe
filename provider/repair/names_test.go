package repair_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/provider/repair"
)

// calledTool returns the name and the repairs of a call, with the tools clock__now, disk__now and files__read_file.
func calledTool(t *testing.T, name string) provider.Call {
	t.Helper()
	call := provider.Call{Name: name, Arguments: []byte("{}")}
	script := &providertest.Script{Replies: []providertest.Reply{{{Calls: []provider.Call{call}}}}}
	model := repair.New()(script, repair.Known{})
	req := provider.Request{Purpose: provider.ForAnswer}
	for _, name := range []string{"clock__now", "disk__now", "files__read_file", "tools__json", "tools__list:1"} {
		_, onServer, _ := strings.Cut(name, "__")
		req.Tools = append(req.Tools, provider.ToolSpec{Name: name, ServerTool: onServer})
	}
	for chunk, err := range model.Chat(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		for _, called := range chunk.Calls {
			return called
		}
	}
	t.Fatalf("the call of %q is lost", name)
	return provider.Call{}
}

func TestMarksAroundNamesAreRemoved(t *testing.T) {
	for name, want := range map[string]string{
		"functions.clock__now:0":                              "clock__now",
		"functions.clock__now":                                "clock__now",
		"function:clock__now":                                 "clock__now",
		"functions.read_file:12":                              "files__read_file",
		"default_api.Read_File":                               "files__read_file",
		"clock__now:1":                                        "clock__now",
		"clock__now<|channel|>commentary":                     "clock__now",
		"clock__now <|constrain|>json":                        "clock__now",
		"clock__now json":                                     "clock__now",
		"clock__nowjson":                                      "clock__now",
		"<|channel|>commentary to=functions.clock__now":       "clock__now",
		"commentary to=functions.read_file <|constrain|>json": "files__read_file",
		`"clock__now"`:                                        "clock__now",
		"clock__now()":                                        "clock__now",
		"functions.clock__now:0<|tool_call_argument_begin|>":  "clock__now",
		"functions.json":                                      "tools__json",
	} {
		call := calledTool(t, name)
		shown := slices.ContainsFunc(call.Repairs, func(r string) bool { return strings.HasSuffix(r, "→ "+want) })
		if call.Name != want || !shown {
			t.Errorf("%q calls %q with the repairs %q, want %q", name, call.Name, call.Repairs, want)
		}
	}
	if call := calledTool(t, "tools__list:1"); call.Name != "tools__list:1" || len(call.Repairs) > 0 {
		t.Errorf("an exact name becomes %q with the repairs %q", call.Name, call.Repairs)
	}
}

func TestNamesOfSeveralToolsAreNotGuessed(t *testing.T) {
	for _, name := range []string{
		"functions.now:0", "now<|channel|>commentary", "functions.", ":0", "<|channel|>", "other.clock__now",
		"clock__nowJSON", "read_fileJson",
	} {
		if call := calledTool(t, name); call.Name != name || len(call.Repairs) > 0 {
			t.Errorf("%q becomes %q with the repairs %q", name, call.Name, call.Repairs)
		}
	}
}
