package headless_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

// A reply that breaks off is requested again. The final answer has nothing of it.
func TestBrokenReplyIsWithdrawn(t *testing.T) {
	broken, whole := providertest.Reply{{Text: "It is n"}, {Cut: true}}, providertest.Reply{{Text: "It is "},
		{Text: "noon."}}
	for _, with := range []tools{nil, {"clock__now": noon}} {
		chat := func() loop.Chat {
			if with == nil {
				return loop.Chat{}
			}
			return loop.Chat{Tools: with}
		}
		out, errs, code := run(t, headless.Options{Quiet: true, Parts: parts(chat())}, broken, whole)
		if out != "It is noon.\n" || errs != "" || code != 0 {
			t.Errorf("a pipe gets %q, %q, %d", out, errs, code)
		}
		out, errs, code = run(t, headless.Options{StdoutTTY: true, Parts: parts(chat())}, broken, whole)
		if out != "It is n\nIt is noon.\n" || !strings.Contains(errs, "The next one replaces it") || code != 0 {
			t.Errorf("a terminal gets %q, %q, %d", out, errs, code)
		}
		out, _, _ = run(t, headless.Options{Format: headless.FormatJSON, Parts: parts(chat())}, broken, whole)
		if !strings.HasPrefix(out, `{"answer":"It is noon."`) {
			t.Errorf("got %s", out)
		}
		out, errs, _ = run(t, headless.Options{Format: headless.FormatStreamJSON, Parts: parts(chat())}, broken, whole)
		out = regexp.MustCompile(`(?m)^\{"type":"(status|result)".*\n`).ReplaceAllString(out, "")
		want := `{"type":"text","delta":"It is n"}` + "\n" + `{"type":"withdrawn"}` + "\n" +
			`{"type":"text","delta":"It is "}` + "\n" + `{"type":"text","delta":"noon."}` + "\n"
		if out != want || errs != "" {
			t.Errorf("got %s%s", out, errs)
		}
	}
}

// Thoughts were not shown, so discarding them needs no notice.
func TestBrokenThinkingWithoutNotice(t *testing.T) {
	out, errs, _ := run(t, headless.Options{StdoutTTY: true, Quiet: true},
		providertest.Reply{{Thinking: "Hm"}, {Cut: true}}, providertest.Reply{{Text: "Noon."}})
	if out != "Noon.\n" || errs != "" {
		t.Errorf("got %q, %q", out, errs)
	}
}

func TestSilentModel(t *testing.T) {
	reply := providertest.Reply{{Text: "It is"}, {Wait: 90 * time.Second, Text: " noon."}}
	synctest.Test(t, func(t *testing.T) {
		out, errs, code := talk(t, headless.LinesOptions{Options: headless.Options{Parts: asks, StdoutTTY: true}}, "time?\n",
			reply)
		if out != "> It is\n noon.\n> " || !strings.Contains(errs, "sent nothing for 1m") ||
			!strings.Contains(errs, "ctrl+c") || code != 0 {
			t.Errorf("a terminal gets %q, %q, %d", out, errs, code)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		out, _, _ := run(t, headless.Options{Format: headless.FormatStreamJSON, Parts: asks}, reply)
		if !strings.Contains(out, "\n"+`{"type":"stalled","silence_ms":60000}`+"\n") {
			t.Errorf("the stream has %s", out)
		}
	})
	synctest.Test(t, func(t *testing.T) { // an error without a terminal
		out, errs, code := run(t, headless.Options{}, reply)
		if out != "It is\n" || !strings.Contains(errs, "limits.silence") || code != 1 {
			t.Errorf("a script gets %q, %q, %d", out, errs, code)
		}
	})
}

// long is a conversation with enough turns to fill a small context.
func long() provider.Conversation {
	var conv provider.Conversation
	for i := range 8 {
		conv = conv.With(provider.Message{Role: provider.RoleUser, Text: fmt.Sprint("question ", i)},
			provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("Much was said. ", 150)})
	}
	return conv
}

func TestCompactedNotice(t *testing.T) {
	ask := func(o headless.Options) (out, errs string) {
		t.Helper()
		var stdout, stderr strings.Builder
		model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Noon."}}},
			Summary: providertest.Reply{{Text: "Much was said."}}}
		o.Chat, o.Conversation = loop.Chat{Model: model, Name: "m", Context: 4096}, long()
		o.Stdout, o.Stderr = &stdout, &stderr
		if code := headless.Answer(t.Context(), o, "time?"); code != 0 {
			t.Errorf("exit code %d", code)
		}
		return stdout.String(), stderr.String()
	}
	if out, errs := ask(headless.Options{}); out != "Noon.\n" ||
		!regexp.MustCompile(`(?m)^Compacted \d+ messages from about \S+ to \S+ tokens$`).MatchString(errs) {
		t.Errorf("a script gets %q, %q", out, errs)
	}
	if _, errs := ask(headless.Options{StatusWidth: cells(80)}); !strings.Contains(errs, "\x1b[2mCompacted ") {
		t.Errorf("a terminal gets %q", errs)
	}
	out, _ := ask(headless.Options{Format: headless.FormatStreamJSON})
	if !regexp.MustCompile(`(?m)^\{"type":"compacted","messages":\d+,"before":\d+,"after":\d+\}$`).MatchString(out) ||
		!strings.Contains(out, `{"type":"status","phase":"compacting"`) {
		t.Errorf("the stream has %s", out)
	}
}

func TestSources(t *testing.T) {
	look := func(sources ...string) loop.Chat {
		return loop.Chat{Tools: tools{"clock__now": func(string) (mcpclient.Result, error) {
			return mcpclient.Result{Text: "12:00", Sources: sources}, nil
		}}}
	}
	replies := []providertest.Reply{{{Text: "I look."}, call("clock__now", "{}")}, {{Text: "Noon."}}}
	const list = "Sources:\n- https://example.com/a\n- file:///x[2J - forged\n"
	sources := []string{"https://example.com/a", "file:///x\x1b[2J\n- forged"}

	if out, errs, _ := run(t, headless.Options{StdoutTTY: true, Quiet: true, Parts: parts(look(sources...))},
		replies...); out != "I look.\n\nNoon.\n\n"+list || errs != "" {
		t.Errorf("a terminal gets %q, %q", out, errs)
	}
	if out, errs, _ := run(t, headless.Options{Parts: parts(look(sources...))}, replies...); out != "Noon.\n" ||
		!strings.Contains(errs, "\n"+list+"✓ ") {
		t.Errorf("a pipe gets %q, %q", out, errs)
	}
	out, errs, _ := run(t, headless.Options{Quiet: true, Parts: parts(look(sources...))}, replies...)
	if out != "Noon.\n" || errs != "" {
		t.Errorf("where it is to be quiet a pipe gets %q, %q", out, errs)
	}
	for _, format := range []headless.Format{headless.FormatJSON, headless.FormatStreamJSON} {
		out, errs, _ := run(t, headless.Options{Format: format, Parts: parts(look(sources...))}, replies...)
		if !strings.Contains(out, `"sources":["https://example.com/a","file:///x\u001b[2J\n- forged"]`) || errs != "" {
			t.Errorf("%s: got %s, %q", format, out, errs)
		}
	}

	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("https://example.com/%d/%s", i, strings.Repeat("é", 10_000)))
	}
	_, errs, _ = run(t, headless.Options{Parts: parts(look(many...))}, replies...)
	_, errs, _ = strings.Cut(errs, "Sources:")
	if lines := strings.Split(errs, "\n"); len(lines) != 24 || lines[21] != "… and 80 more" || len(errs) > 20*600 ||
		strings.Contains(errs, "\ufffd") {
		t.Errorf("%d bytes, %d lines", len(errs), len(lines))
	}
	down := providertest.Reply{{Err: &provider.Error{Kind: provider.KindUnavailable, Text: "no server"}}}
	if _, errs, _ := run(t, headless.Options{Parts: parts(look(sources...))}, providertest.Reply{call("clock__now", "{}")},
		down); strings.Contains(errs, "Sources") {
		t.Errorf("there was no answer, and it says %q", errs)
	}
}

func TestRepairsAreInTheJSON(t *testing.T) {
	o := headless.Options{Format: headless.FormatStreamJSON, Parts: parts(loop.Chat{Tools: counting{}})}
	out, errs, _ := run(t, o, providertest.Reply{call("count__to", `{"n":"3"}`)}, providertest.Reply{{Text: "Three."}})
	found := 0
	for line := range strings.Lines(out) {
		var ev struct {
			Type    string
			Repairs []string
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		if (ev.Type == "tool_call" || ev.Type == "tool_result") && len(ev.Repairs) == 1 {
			found++
		}
	}
	if found != 2 || errs != "" {
		t.Errorf("%d of 2 events tell the repair: %s%s", found, out, errs)
	}
}

// counting has a tool with a number as argument.
type counting struct{ tools }

func (counting) Tools() []mcpclient.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	return []mcpclient.Tool{{Name: "count__to", Server: "count", ServerTool: "to", Schema: schema, Trusted: true,
		ReadOnly: true}}
}
