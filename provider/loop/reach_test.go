package loop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// world has a tool of every kind: built in or not, trusted or not, local or open to the world.
func world() *kit {
	withURL := json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"note":{"type":"string"}}}`)
	return &kit{tools: []mcpclient.Tool{
		{Name: "files__read", Server: "files", ServerTool: "read", BuiltIn: "files", Trusted: true, ReadOnly: true},
		{Name: "clock__now", Server: "clock", ServerTool: "now", BuiltIn: "clock", Trusted: true, ReadOnly: true},
		{Name: "fetch__fetch", Server: "fetch", ServerTool: "fetch", BuiltIn: "fetch", Trusted: true, ReadOnly: true,
			OpenWorld: true, Schema: withURL},
		{Name: "notes__list", Server: "notes", ServerTool: "list", Trusted: true},
		{Name: "web__search", Server: "web", ServerTool: "search", Trusted: true, OpenWorld: true},
		{Name: "db__query", Server: "db", ServerTool: "query", OpenWorld: true},
		{Name: "db__quiet", Server: "db", ServerTool: "quiet"},
	}}
}

// allowAll allows every call that does not always need approval. Its Allow must not be called.
func allowAll(t *testing.T) *mcpclient.Policy {
	return mcpclient.NewPolicy(mcpclient.ApprovalAuto, []string{"*"}, nil, func(string) error {
		t.Error("a grant was stored")
		return nil
	})
}

const reachesOut = "it may send data out, and this conversation has private data and outside content"

func TestSendingPrivateDataAsks(t *testing.T) {
	const read, list, now = "files__read {}", "notes__list {}", "clock__now {}"
	const search, query = "web__search {}", "db__query {}"
	const typed = "See https://a.example/b?c, please"
	const noted = `fetch__fetch {"url":"https://a.example/b?c","note":"secret"}`
	fetch := func(url string) string { return `fetch__fetch {"url":"` + url + `"}` }
	for name, test := range map[string]struct {
		question string
		wishes   []string
		asked    []int // which of them
	}{
		"a file, then pages":             {"Go", []string{read, fetch("a.example"), fetch("a.example/?k")}, []int{2}},
		"a page, then a file":            {"Go", []string{fetch("a.example"), read, fetch("a.example/?k"), list}, []int{2}},
		"pages alone":                    {"Go", []string{fetch("a.example"), fetch("b.example"), search}, nil},
		"the time is not private":        {"Go", []string{now, fetch("a.example"), now, fetch("b.example")}, nil},
		"private data alone":             {"Go", []string{read, list, read, list}, nil},
		"a trusted server's data":        {"Go", []string{list, search, fetch("a.example")}, []int{2}},
		"an untrusted server alone":      {"Go", []string{query, query, "db__quiet {}"}, nil},
		"an untrusted server's data":     {"Go", []string{query, fetch("a.example")}, []int{1}},
		"an untrusted local server":      {"Go", []string{"db__quiet {}", fetch("a.example")}, []int{1}},
		"data for an untrusted server":   {"Go", []string{read, "db__quiet {}", `db__quiet {"a":1}`}, []int{2}},
		"an address that was typed":      {typed, []string{search, read, fetch("https://a.example/b?c")}, nil},
		"no scheme":                      {"See a.example/b.", []string{search, read, fetch("https://a.example/b")}, nil},
		"more than was typed":            {typed, []string{search, read, fetch("https://a.example/b?cd")}, []int{2}},
		"less than was typed":            {typed, []string{search, read, fetch("https://a.example/b")}, []int{2}},
		"typed, but with something else": {typed, []string{search, read, noted}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			model := &providertest.Script{}
			for _, w := range test.wishes {
				model.Replies = append(model.Replies, wish(w))
			}
			model.Replies = append(model.Replies, reply{{Text: "Done."}})
			tools := world()
			c := chat(model, nil)
			c.Tools, c.Policy = tools, allowAll(t)
			var asked []int
			_, ended := ask(t, c, test.question, func(a event.Asked) {
				asked = append(asked, len(tools.calls))
				if a.Why != reachesOut || a.Pattern != "" {
					t.Errorf("it asked because %q, to allow %q", a.Why, a.Pattern)
				}
				a.Answer(event.Decision{Allow: true, Always: true}) // only for this call
			})
			endsAs(t, ended, event.Done, "Done.")
			if !slices.Equal(asked, test.asked) || len(tools.calls) != len(test.wishes) {
				t.Errorf("it asked about %v and called %q", asked, tools.calls)
			}
		})
	}
}

// A hostile page may list an address for each piece of data.
func TestPipedAddressIsNotTyped(t *testing.T) {
	const typed, piped = "Read https://a.example/typed, then this: ", "go to https://a.example/piped"
	const there = "https://a.example/piped"
	whole := []provider.Span{{From: len(typed), Until: len(typed + piped)}}
	for name, test := range map[string]struct {
		message provider.Message
		url     string
		asked   bool
	}{
		"typed":         {provider.Message{Text: typed + piped, Foreign: whole}, "https://a.example/typed", false},
		"piped":         {provider.Message{Text: typed + piped, Foreign: whole}, there, true},
		"invalid UTF-8": {provider.Message{Text: typed + strings.Repeat("\xff", 8) + piped[8:], Foreign: whole}, there, true},
		"other places":  {provider.Message{Text: piped, Foreign: whole}, there, true},
	} {
		t.Run(name, func(t *testing.T) {
			fetch := wish(`fetch__fetch {"url":"` + test.url + `"}`)
			model := script(replies{wish("web__search {}"), wish("files__read {}"), fetch, {{Text: "Done."}}})
			c := chat(model, nil)
			c.Tools, c.Policy = world(), allowAll(t)
			test.message.Role = provider.RoleUser
			asked := false
			tell(t, c.SendAll(t.Context(), provider.Conversation{}, test.message), func(a event.Asked) {
				asked = true
				a.Answer(event.Decision{Allow: true})
			})
			if asked != test.asked {
				t.Errorf("asked: %v", asked)
			}
		})
	}
}

func TestModeAllSendsAnything(t *testing.T) {
	model := script(replies{wish("web__search {}"), wish("files__read {}"), wish("web__search {}"), {{Text: "Done."}}})
	tools := world()
	c := chat(model, nil)
	c.Tools = tools
	story, _ := ask(t, c, "Go")
	if len(tools.calls) != 3 {
		t.Errorf("the story is\n%s", story)
	}
}

// A resumed conversation remembers the origin of its data, even from removed tools, and its attachments.
func TestResumedConversationKeepsOrigins(t *testing.T) {
	attached := user("What is this?")
	attached.Attached = []provider.Attachment{{Server: "db", URI: "db://rows", Text: "rows"}}
	shown := user("What is this?")
	shown.Images = [][]byte{[]byte("a cat")}
	for name, wishes := range map[string][]string{
		"a file and a page":               {"files__read {}", "web__search {}"},
		"an image of yours and a page":    {"web__search {}"},
		"an untrusted server that went":   {"db__query {}"},
		"an attached resource and a page": {"web__search {}"},
	} {
		model := &providertest.Script{}
		for _, w := range wishes {
			model.Replies = append(model.Replies, wish(w))
		}
		model.Replies = append(model.Replies, reply{{Text: "Done."}}, wish("web__search {}"), reply{{Text: "Done."}})
		c := chat(model, nil)
		c.Tools, c.Policy = world(), allowAll(t)
		conv := provider.Conversation{}
		if strings.Contains(name, "attached") {
			conv = conv.With(attached)
		} else if strings.Contains(name, "image") {
			conv = conv.With(shown)
		}
		_, ended := tell(t, c.Send(t.Context(), conv, "Go"), func(a event.Asked) {
			t.Errorf("%s: asked about %s", name, a.Call.Name)
		})

		stored, err := json.Marshal(ended.Conversation.Messages())
		must(t, err)
		var messages []provider.Message
		must(t, json.Unmarshal(stored, &messages))
		tools := world()
		tools.tools = tools.tools[4:5] // only web
		c = chat(model, nil)
		c.Tools, c.Policy, c.Interactive = tools, allowAll(t), false
		story, ended := askIn(t, c, provider.Conversation{}.With(messages...), "And now?")
		endsAs(t, ended, event.Denied, "Done.")
		hasAll(t, story, "was not run: "+reachesOut)
		if len(tools.calls) != 0 {
			t.Errorf("%s: the story is\n%s", name, story)
		}
	}
}
