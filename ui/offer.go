package ui

import (
	"errors"
	"os/exec"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// suggested is the model that is offered to someone who has none.
const suggested = "qwen3:8b"

// modelPicker is the list of models, still empty. What is typed and not there can be fetched.
func modelPicker() *picker {
	return &picker{
		title: "Models",
		keys:  "enter · type to filter, or a name to fetch · esc",
		empty: "asking the server…",
		other: func(name string) row {
			return row{label: name, detail: "fetch it", badge: "↓", pick: pullModelMsg{name}}
		},
		is: func(r row, typed string) bool { return sameModel(r.label, typed) },
	}
}

func modelRows(infos []provider.Info, current string) []row {
	var rows []row
	for _, info := range infos {
		badge := " "
		if sameModel(info.Name, current) {
			badge = "●"
		}
		rows = append(rows, row{label: info.Name, detail: describe(info), badge: badge, pick: useModelMsg{info.Name}})
	}
	return rows
}

// sameModel tells whether two names mean the same model: Ollama's tag "latest" may be left out.
func sameModel(a, b string) bool {
	const usual = ":latest"
	return strings.EqualFold(strings.TrimSuffix(a, usual), strings.TrimSuffix(b, usual))
}

// describe tells of a model what matters when choosing: "8.2B · 5.2 GB · tools · thinking".
func describe(info provider.Info) string {
	var words []string
	if info.Params != "" {
		words = append(words, info.Params)
	}
	if info.Size > 0 {
		words = append(words, bytesText(info.Size))
	}
	for _, can := range []struct {
		yes  bool
		word string
	}{{info.Tools, "tools"}, {info.Thinking, "thinking"}, {info.Vision, "vision"}} {
		if can.yes {
			words = append(words, can.word)
		}
	}
	return strings.Join(words, " · ")
}

// offer is the dialog for when there is no model to talk to: it says so in one sentence and offers ways on.
func offer(err error, wanted string, o Options) *picker {
	kind, title := provider.KindFailed, "The model cannot be used"
	if e, ok := errors.AsType[*provider.Error](err); ok {
		kind = e.Kind
	}
	missing, down := kind == provider.KindMissing, kind == provider.KindUnavailable
	switch {
	case missing:
		title = "The model is not here"
	case down:
		title = "No model server"
	}
	if wanted == "" {
		wanted = suggested
	}
	_, canPull := o.Chat.Model.(provider.Puller)
	_, canList := o.Chat.Model.(provider.Library)
	p := &picker{title: title, text: sentence(err), fixed: true, keys: "↑↓ choose · enter"}
	add := func(possible bool, label, detail string, pick tea.Msg) {
		if possible {
			p.rows = append(p.rows, row{label: label, detail: detail, pick: pick})
		}
	}
	add(down && o.StartServer != nil && !errors.Is(err, exec.ErrNotFound), "Start Ollama", "runs: ollama serve", startServerMsg{})
	add(missing && canPull, "Fetch "+wanted, "with a progress bar; can be stopped", pullModelMsg{wanted})
	add(missing && canList, "Choose another model", "", listModelsMsg{})
	add(down && o.At != nil, "Use another address", "of an Ollama server", askHostMsg{})
	add(true, "Try again", "", findModelMsg{})
	add(o.Demo != nil && !o.IsDemo, "Use the demo", "a small built-in stand-in; tools are real", demoMsg{})
	add(true, "Quit", "", tea.QuitMsg{})
	return p
}

// hostPicker asks for the address of another server. text says what was wrong with the one before; "": there was none.
func hostPicker(text string) *picker {
	return &picker{
		title: "Address of the server", text: text,
		keys:  "type an address · enter · esc",
		empty: "such as 192.168.1.20:11434",
		other: func(host string) row {
			return row{label: host, detail: "look for a model there", pick: useHostMsg{host}}
		},
	}
}

// sentence is an error as people read it: what happened, then what to try.
func sentence(err error) string {
	text := asSentence(err.Error())
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint != "" {
		text += " " + asSentence(e.Hint)
	}
	return text
}

func asSentence(words string) string {
	words = sanitize.Text(words)
	if first, size := utf8.DecodeRuneInString(words); size > 0 {
		words = string(unicode.ToUpper(first)) + words[size:]
	}
	return strings.TrimSuffix(words, ".") + "."
}
