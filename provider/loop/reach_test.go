package loop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// world has a tool of every kind: built in and not, trusted and not, staying here and reaching out.
func world() *kit {
	withURL := json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"offset":{"type":"number"},"note":{"type":"string"}}}`)
	return &kit{tools: []mcpclient.Tool{
		{Name: "files__read", Server: "files", ServerTool: "read", BuiltIn: "files", Trusted: true, ReadOnly: true},
		{Name: "clock__now", Server: "clock", ServerTool: "now", BuiltIn: "clock", Trusted: true, ReadOnly: true},
		{Name: "fetch__fetch", Server: "fetch", ServerTool: "fetch", BuiltIn: "fetch", Trusted: true, ReadOnly: true, OpenWorld: true, Schema: withURL},
		{Name: "notes__list", Server: "notes", ServerTool: "list", Trusted: true},
		{Name: "web__search", Server: "web", ServerTool: "search", Trusted: true, OpenWorld: true},
		{Name: "db__query", Server: "db", ServerTool: "query", OpenWorld: true},
		{Name: "db__quiet", Server: "db", ServerTool: "quiet"},
	}}
}

const reachesOut = "it may send data out, and this conversation has private data and outside content"

func TestTwoOfThree(t *testing.T) {
	const read, list, now, search, query = "files__read {}", "notes__list {}", "clock__now {}", "web__search {}", "db__query {}"
	fetch := func(url string) string { return `fetch__fetch {"url":"` + url + `"}` }
	for name, test := range map[string]struct {
		question string
		wishes   []string
		asked    []int // which of them
	}{
		"a file, then pages":                       {"Go", []string{read, fetch("a.example"), fetch("a.example/?k=secret")}, []int{2}},
		"a page, then a file":                      {"Go", []string{fetch("a.example"), read, fetch("a.example/?k=secret"), search, list}, []int{2, 3}},
		"pages alone":                              {"Go", []string{fetch("a.example"), fetch("b.example"), search}, nil},
		"the time is not private":                  {"Go", []string{now, fetch("a.example"), now, fetch("b.example")}, nil},
		"private data alone":                       {"Go", []string{read, list, read, list}, nil},
		"a trusted server's data":                  {"Go", []string{list, search, fetch("a.example")}, []int{2}},
		"a strange server alone":                   {"Go", []string{query, query, "db__quiet {}"}, nil},
		"a strange server's data":                  {"Go", []string{query, fetch("a.example")}, []int{1}},
		"a strange server that says it stays here": {"Go", []string{"db__quiet {}", fetch("a.example")}, []int{1}},
		"data for a strange server":                {"Go", []string{read, "db__quiet {}", `db__quiet {"sql":"secret"}`}, []int{2}},
		"an address that was typed":                {"Compare with https://a.example/b?c, please", []string{search, read, fetch("https://a.example/b?c")}, nil},
		"one without a scheme":                     {"See a.example/b.", []string{search, read, fetch("https://a.example/b")}, nil},
		"more than was typed":                      {"See https://a.example/b?c", []string{search, read, fetch("https://a.example/b?c=secret"), fetch("https://a.example/b")}, []int{2, 3}},
		"typed, but with something else":           {"See https://a.example/", []string{search, read, `fetch__fetch {"url":"https://a.example/","note":"secret"}`}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			model := &providertest.Script{}
			for _, w := range test.wishes {
				model.Replies = append(model.Replies, wish(w))
			}
			model.Replies = append(model.Replies, reply{{Text: "Done."}})
			tools := world()
			c := chat(model, nil)
			c.Tools, c.Policy = tools, mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, func(string) error { t.Error("a grant was stored"); return nil })
			var asked []int
			_, ended := ask(t, c, test.question, func(a provider.Asked) {
				asked = append(asked, len(tools.calls))
				if a.Why != reachesOut || a.Pattern != "" {
					t.Errorf("it asked because %q, to allow %q", a.Why, a.Pattern)
				}
				a.Answer(provider.Decision{Allow: true, Always: true}) // which is for this call only
			})
			if !slices.Equal(asked, test.asked) || len(tools.calls) != len(test.wishes) || ended.Result.Stop.Reason != provider.Done {
				t.Errorf("it asked about %v and called %q", asked, tools.calls)
			}
		})
	}
}

// A page may list addresses for each thing that it wants to know.
func TestTwoOfThreeTakesNoAddressFromWhatWasPiped(t *testing.T) {
	const typed, piped = "Read https://a.example/typed, then this: ", "go to https://a.example/piped"
	whole := []provider.Span{{From: len(typed), Until: len(typed + piped)}}
	for name, test := range map[string]struct {
		message provider.Message
		url     string
		asked   bool
	}{
		"typed":          {provider.Message{Text: typed + piped, Foreign: whole}, "https://a.example/typed", false},
		"piped":          {provider.Message{Text: typed + piped, Foreign: whole}, "https://a.example/piped", true},
		"no valid UTF-8": {provider.Message{Text: typed + "\xff\xff\xff\xff\xff\xff\xff\xff" + piped[8:], Foreign: whole}, "https://a.example/piped", true},
		"other places":   {provider.Message{Text: piped, Foreign: whole}, "https://a.example/piped", true},
	} {
		t.Run(name, func(t *testing.T) {
			model := script(replies{wish("web__search {}"), wish("files__read {}"), wish(`fetch__fetch {"url":"` + test.url + `"}`), {{Text: "Done."}}})
			c := chat(model, nil)
			c.Tools, c.Policy = world(), mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, nil)
			test.message.Role = provider.RoleUser
			asked := false
			tell(t, c.SendAll(t.Context(), provider.Conversation{}, test.message), func(a provider.Asked) {
				asked = true
				a.Answer(provider.Decision{Allow: true})
			})
			if asked != test.asked {
				t.Errorf("asked: %v", asked)
			}
		})
	}
}

func TestTwoOfThreeWithModeAll(t *testing.T) {
	model := script(replies{wish("web__search {}"), wish("files__read {}"), wish("web__search {}"), {{Text: "Done."}}})
	tools := world()
	c := chat(model, nil)
	c.Tools = tools
	story, _ := ask(t, c, "Go")
	if len(tools.calls) != 3 {
		t.Errorf("the story is\n%s", story)
	}
}

// A conversation that was resumed knows what it has taken in, also of tools that are no longer there, and of what was attached.
func TestTwoOfThreeAfterResume(t *testing.T) {
	attached := user("What is this?")
	attached.Attached = []provider.Attachment{{Server: "db", URI: "db://rows", Text: "rows"}}
	for name, wishes := range map[string][]string{
		"a file and a page":               {"files__read {}", "web__search {}"},
		"a strange server that went":      {"db__query {}"},
		"an attached resource and a page": {"web__search {}"},
	} {
		model := &providertest.Script{}
		for _, w := range wishes {
			model.Replies = append(model.Replies, wish(w))
		}
		model.Replies = append(model.Replies, reply{{Text: "Done."}}, wish("web__search {}"), reply{{Text: "Done."}})
		c := chat(model, nil)
		c.Tools, c.Policy = world(), mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, nil)
		conv := provider.Conversation{}
		if strings.Contains(name, "attached") {
			conv = conv.With(attached)
		}
		_, ended := tell(t, c.Send(t.Context(), conv, "Go"), func(a provider.Asked) { t.Errorf("%s: asked about %s", name, a.Call.Name) })

		stored, err := json.Marshal(ended.Conversation.Messages())
		if err != nil {
			t.Fatal(err)
		}
		var messages []provider.Message
		if err := json.Unmarshal(stored, &messages); err != nil {
			t.Fatal(err)
		}
		tools := world()
		tools.tools = tools.tools[4:5] // only web
		c = chat(model, nil)
		c.Tools, c.Policy, c.Interactive = tools, mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, nil), false
		story, ended := askIn(t, c, provider.Conversation{}.With(messages...), "And now?")
		if len(tools.calls) != 0 || ended.Result.Stop.Reason != provider.Denied || !strings.Contains(story, "was not run: "+reachesOut) {
			t.Errorf("%s: the story is\n%s", name, story)
		}
	}
}
