package session

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/status/tape"
)

// Format is the format of an exported conversation.
type Format string

// The formats of Export.
const (
	Markdown Format = "markdown"
	JSON     Format = "json" // an object with the members of Info, "conversation" and "sources"
)

// Export writes a conversation, with id as in Resume. The output is safe to show in a terminal.
func (s *Store) Export(w io.Writer, id string, format Format) error {
	info, conv, turns, err := s.Read(id)
	if err != nil {
		return err
	}
	messages := conv.Messages()
	text := markdown(info, messages, turns)
	if format == JSON {
		text, err = sanitize.EncodeJSON(struct {
			Info
			Conversation []provider.Message `json:"conversation"`
			Sources      []string           `json:"sources"`
		}{info, append([]provider.Message{}, messages...), allSources(turns)}, "  ")
		if err != nil {
			return err
		}
	}
	_, err = w.Write(text)
	return err
}

// allSources returns the sources of turns, each once.
func allSources(turns []Turn) []string {
	all := []string{}
	for _, turn := range turns {
		for _, source := range turn.Result.Sources {
			if !slices.Contains(all, source) {
				all = append(all, source)
			}
		}
	}
	return all
}

// document builds the Markdown of a conversation.
type document struct {
	bytes.Buffer
	turns []Turn // whether the ends are written yet
	calls map[string]event.ToolCall
}

// paragraph writes a paragraph.
func (d *document) paragraph(format string, args ...any) { fmt.Fprintf(d, "\n"+format+"\n", args...) }

// markdown returns the conversation and the ends of its turns.
func markdown(info Info, messages []provider.Message, turns []Turn) []byte {
	d := &document{turns: turns, calls: CallsOf(turns)}
	about := []string{info.Started.UTC().Format("2006-01-02 15:04 UTC"), sanitize.Line(info.ID)}
	if info.Model != "" {
		about = append([]string{sanitize.Line(info.Model)}, about...)
	}
	if info.Branches > 0 {
		about = append(about, fmt.Sprintf("branch %d, %d in all", info.Branch, info.Branches))
	}
	if info.Skipped > 0 {
		about = append(about, quantity.Plural(info.Skipped, "line")+" could not be read")
	}
	fmt.Fprintf(d, "# %s\n", cmp.Or(info.Title, sanitize.Line(info.ID)))
	d.paragraph("*%s*", strings.Join(about, " · "))
	answering := false
	for i, m := range messages {
		d.writeEnds(i)
		switch {
		case m.IsContinue(): // a message from aloud, not from the user
		case m.Role == provider.RoleSummary:
			d.paragraph("*%s*", compacted(m))
		case m.Role == provider.RoleUser:
			answering = false
			d.paragraph("## You")
			d.writeText(m)
			for _, a := range m.Attached {
				d.paragraph("**%s**", sanitize.Line(a.Name()))
				if a.Text != "" {
					d.codeBlock("", a.Text)
				}
			}
		case m.Role == provider.RoleAssistant:
			if !answering { // one heading for all rounds of a turn
				d.paragraph("## Answer")
			}
			answering = true
			if len(d.turns) > 0 && d.turns[0].Messages == i+1 {
				m.Partial = false // the end of the turn says why
			}
			d.writeAnswer(m)
		case m.Role == provider.RoleTool:
			d.paragraph("**%s** %s:", sanitize.Line(m.Tool), outcome(m, d.calls[m.CallID].Status))
			d.codeBlock("", m.Text)
		}
	}
	d.writeEnds(len(messages))
	return d.Bytes()
}

// writeEnds writes the ends of the turns that ended before message n.
func (d *document) writeEnds(n int) {
	for ; len(d.turns) > 0 && d.turns[0].Messages <= n; d.turns = d.turns[1:] {
		r := d.turns[0].Result
		if len(r.Sources) > 0 {
			d.paragraph("Sources:\n")
			for _, source := range r.Sources {
				fmt.Fprintf(d, "- %s\n", sanitize.Line(source))
			}
		}
		switch detail := sanitize.Line(r.Stop.Detail); {
		case r.Stop.Reason == event.Failed, r.Stop.Reason == event.Length:
			d.paragraph("Stopped: %s", detail)
		case r.Stop.Reason.IsLimit():
			d.paragraph("%s", detail)
		}
		if r.Stop.Reason != "" { // "" in a damaged line
			d.paragraph("*%s*", receipt(r))
		}
	}
}

// receipt returns the receipt of a turn behind its tape in ten cells.
func receipt(r event.Result) string {
	words := sanitize.Line(status.Receipt(r))
	if cells := tape.Of(r).Brief(10); cells != nil {
		return tape.Text(cells) + "  " + words
	}
	return words
}

// writeText writes the text of a message and the name of the prompt it came from.
func (d *document) writeText(m provider.Message) {
	if text := strings.TrimSpace(sanitize.Text(m.Text)); text != "" {
		if m.From != "" {
			d.paragraph("*From the prompt %s:*", sanitize.Line(m.From))
		}
		d.paragraph("%s", text)
	}
}

func (d *document) writeAnswer(m provider.Message) {
	if thinking := strings.TrimSpace(sanitize.Text(m.Thinking)); thinking != "" {
		d.paragraph("> %s", strings.ReplaceAll(thinking, "\n", "\n> "))
	}
	d.writeText(m)
	for _, c := range m.Calls {
		d.paragraph("**%s** called with:", sanitize.Line(c.Name))
		d.codeBlock("json", string(c.Arguments))
		for _, repair := range d.calls[c.ID].Repairs {
			d.paragraph("*repaired: %s*", sanitize.Line(repair))
		}
	}
	if m.Partial {
		d.paragraph("*(stopped here)*")
	}
}

func (d *document) codeBlock(language, text string) {
	d.paragraph("%s", provider.Fence(sanitize.Text(text), language))
}

// outcome returns the result of a call as a verb.
func outcome(m provider.Message, status event.CallStatus) string {
	switch {
	case status == event.CallCancelled, status == event.CallDenied, status == event.CallSkipped:
		return "was " + string(status)
	case m.Failed:
		return "failed"
	}
	return "returned"
}

// compacted describes a summary. Its text is only for the model.
func compacted(m provider.Message) string {
	covered := quantity.Plural(m.Covers.Until-m.Covers.From, "message")
	switch {
	case m.Drops != "":
		return fmt.Sprintf("Left out %s: the model no longer reads it.", sanitize.Line(m.Drops))
	case m.Text == "":
		return fmt.Sprintf("Compacted %s: the model no longer reads their tool results.", covered)
	}
	return fmt.Sprintf("Compacted %s: the model reads a summary instead.", covered)
}
