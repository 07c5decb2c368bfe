package loop_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// readsPages is a read-only tool with a schema.
func readsPages(name, schema string) mcpclient.Tool {
	return mcpclient.Tool{
		Name: name, Server: "web", ServerTool: name, Description: "Reads a page.", Schema: json.RawMessage(schema),
		Trusted: true, ReadOnly: true,
	}
}

// wants is a reply with one call.
func wants(name, arguments string) reply {
	return reply{{Calls: []provider.Call{{Name: name, Arguments: json.RawMessage(arguments)}}}}
}

// allocated returns how many bytes f allocates in total.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const megabyte = 1 << 20

func TestLongToolNames(t *testing.T) {
	long := strings.Repeat("a_very_long_name_", 60)[:1000]
	model := trained(megabyte, replies{
		wants(strings.ToUpper(long), `{}`), wants(strings.Repeat("b", 1000), `{}`),
		wants(strings.Repeat("c", 100_000), `{}`), wants(strings.Repeat("c", 100_000), `{}`), {{Text: "Enough."}},
	})
	c := chat(model, nil)
	c.Limits.ConsecutiveErrors = 9
	c.Tools = &kit{tools: []mcpclient.Tool{readsPages(long, `{"type":"object"}`)}}
	story, ended := ask(t, c, "Go")
	r := ended.Result
	endsAs(t, ended, event.InvalidTool, "Enough.")
	if r.ToolCalls[0].Status != event.CallOK || r.ToolCalls[0].Name != long {
		t.Errorf("the first call is %.300v", r.ToolCalls[0])
	}
	for _, m := range ended.Conversation.Messages() {
		if m.Role == provider.RoleTool && len(m.Text) > 3000 {
			t.Errorf("a tool's answer has %d bytes: %.200q", len(m.Text), m.Text)
		}
	}
	for line := range strings.Lines(story) {
		if (strings.HasPrefix(line, "notice") || strings.HasPrefix(line, "(")) && len(line) > 3000 {
			t.Errorf("it says %d bytes: %.200q", len(line), line)
		}
	}
}

func TestHugeResults(t *testing.T) {
	const size = 50 * megabyte
	row := `{"id":1,"name":"a name","tags":["a","b"],"text":"the quick brown fox"},`
	for name, text := range map[string]string{
		"text":          strings.Repeat("the quick brown fox jumps over the lazy dog\n", size/44),
		"one line":      strings.Repeat("é", size/2),
		"JSON":          `{"rows":[` + strings.TrimSuffix(strings.Repeat(row, size/len(row)), ",") + `]}`,
		"one string":    `{"text":"` + strings.Repeat("x", size) + `"}`,
		"deep JSON":     strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"almost JSON":   `{"rows":[` + strings.Repeat(row, size/len(row)) + `oops`,
		"no characters": strings.Repeat("\xff\xfe", size/2),
	} {
		t.Run(name, func(t *testing.T) {
			model := script(replies{wants("read", `{}`), {{Text: "Much."}}})
			c := chat(model, nil)
			c.Tools = pages(`{"type":"object"}`, text)
			var got string
			bytes := allocated(func() {
				_, ended := ask(t, c, "Go")
				got = ended.Result.ToolCalls[0].Result
				if ended.Result.Answer != "Much." {
					t.Errorf("it ended as %+v", ended.Result.Stop)
				}
			})
			if len(got) > 70_000 || len(got) < 50 {
				t.Errorf("the model gets %d bytes: %.100q", len(got), got)
			}
			if strings.ToValidUTF8(got, "") != got {
				t.Error("what the model gets is no valid UTF-8")
			}
			if bytes > 4*size {
				t.Errorf("it allocated %d bytes", bytes)
			}
		})
	}
}

func TestArgumentsWithoutEnd(t *testing.T) {
	for name, arguments := range map[string]string{
		"deep":     strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000),
		"unclosed": strings.Repeat(`{"a":`, 100_000),
		"lists":    `{"a":` + strings.Repeat(`[`, 200_000) + strings.Repeat(`]`, 200_000) + `}`,
		"long":     `{"a":"` + strings.Repeat("x", 5*megabyte) + `"}`,
		"quotes":   strings.Repeat(`"{\"a\":`, 50_000),
		"keys":     `{` + strings.Repeat(`"a":1,`, 200_000) + `"b":2}`,
		"number":   `{"n":1e999999999}`,
		"printed":  "",
	} {
		t.Run(name, func(t *testing.T) {
			first := wants("read", arguments)
			if name == "printed" {
				first = reply{{Text: `{"name":"read","arguments":` +
					strings.Repeat(`{"`+strings.Join(strings.SplitAfter(varied(2000), ""), `":{"`)+`":`, 100)}}
			}
			model := &providertest.Script{Replies: replies{first, {{Text: "Odd."}}}, Forever: true}
			c := chat(model, nil)
			c.Tools = pages(`{"type":"object","properties":{"n":{"type":"integer"}}}`, "page")
			bytes := allocated(func() {
				_, ended := ask(t, c, "Go")
				if ended.Result.Stop.Reason != event.Done {
					t.Errorf("it ended as %+v", ended.Result.Stop)
				}
			})
			if bytes > 1000*megabyte {
				t.Errorf("it allocated %d bytes", bytes)
			}
		})
	}
}
