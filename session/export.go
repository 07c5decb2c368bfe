package session

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// Format is the form of an exported conversation.
type Format string

// The forms of Export.
const (
	Markdown Format = "markdown" // for people
	JSON     Format = "json"     // one object: the members of Info, "conversation" and "sources"
	JSONL    Format = "jsonl"    // a message a line
)

// Export writes a conversation; id is as in Resume. The text is safe to show in a terminal.
func (s *Store) Export(w io.Writer, id string, format Format) error {
	id, err := s.find(id)
	if err != nil {
		return err
	}
	h, err := s.read(id, math.MaxInt)
	if err != nil {
		return err
	}
	info, messages := h.loaded(id)
	var text []byte
	switch format {
	case Markdown:
		var out bytes.Buffer
		markdown(&out, info, messages, h.turns)
		text = out.Bytes()
	case JSON:
		text, err = sanitize.EncodeJSON(struct {
			Info
			Conversation []provider.Message `json:"conversation"`
			Sources      []string           `json:"sources"`
		}{info, append([]provider.Message{}, messages...), h.allSources()}, "  ")
	case JSONL:
		for _, m := range messages {
			line, encoding := sanitize.EncodeJSON(m, "")
			text, err = append(text, line...), cmp.Or(err, encoding)
		}
	default:
		err = fmt.Errorf("the format %q is not known; it is one of %s, %s and %s", format, Markdown, JSON, JSONL)
	}
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// allSources returns the sources of the conversation, each once.
func (h *history) allSources() []string {
	all, seen := []string{}, map[string]bool{}
	for _, turn := range h.turns {
		for _, source := range turn.Result.Sources {
			if !seen[source] {
				seen[source] = true
				all = append(all, source)
			}
		}
	}
	return all
}

// markdown writes the conversation and how its turns ended.
func markdown(out *bytes.Buffer, info Info, messages []provider.Message, turns []Turn) {
	calls := CallsOf(turns)
	heading := info.Title
	if heading == "" {
		heading = sanitize.Line(info.ID)
	}
	about := []string{info.Started.UTC().Format("2006-01-02 15:04 UTC"), sanitize.Line(info.ID)}
	if info.Model != "" {
		about = append([]string{sanitize.Line(info.Model)}, about...)
	}
	if info.Skipped > 0 {
		about = append(about, quantity.Plural(info.Skipped, "line")+" could not be read")
	}
	fmt.Fprintf(out, "# %s\n\n*%s*\n", heading, strings.Join(about, " · "))
	speaker := provider.Role("")
	for i, m := range messages {
		turns = endings(out, i, turns)
		if m.GoesOn() {
			continue // aloud asked it to go on
		}
		switch m.Role {
		case provider.RoleSummary:
			out.WriteString("\n*" + compacted(m) + "*\n")
			continue // the speaker stays the same
		case provider.RoleUser:
			fmt.Fprintf(out, "\n## You\n\n%s%s\n", origin(m), strings.TrimSpace(sanitize.Text(m.Text)))
			attached(out, m)
		case provider.RoleAssistant:
			if speaker != provider.RoleAssistant && speaker != provider.RoleTool {
				out.WriteString("\n## Answer\n") // one heading for all rounds of a turn
			}
			if len(turns) > 0 && turns[0].Messages == i+1 {
				m.Partial = false // its end says why
			}
			assistant(out, m, calls)
		case provider.RoleTool:
			fmt.Fprintf(out, "\n**%s** %s:\n\n%s\n", sanitize.Line(m.Tool), outcome(m, calls[m.CallID].Status), fenced("", sanitize.Text(m.Text)))
		}
		speaker = m.Role
	}
	endings(out, len(messages), turns)
}

// endings writes how the turns ended that ended before message n, and returns the others.
func endings(out *bytes.Buffer, n int, turns []Turn) []Turn {
	for ; len(turns) > 0 && turns[0].Messages <= n; turns = turns[1:] {
		r := turns[0].Result
		cited(out, r.Sources)
		switch detail := sanitize.Line(r.Stop.Detail); r.Stop.Reason {
		case provider.Failed:
			fmt.Fprintf(out, "\nStopped: %s\n", detail)
		case provider.Iterations, provider.Errors, provider.Time, provider.InvalidTool:
			fmt.Fprintf(out, "\n%s\n", detail)
		}
		if r.Stop.Reason != "" { // else the line is damaged
			fmt.Fprintf(out, "\n*%s*\n", sanitize.Line(status.Receipt(r)))
		}
	}
	return turns
}

// outcome says what became of a call. An unknown status is "".
func outcome(m provider.Message, status provider.CallStatus) string {
	switch status {
	case provider.CallCancelled:
		return "was stopped"
	case provider.CallDenied:
		return "was refused"
	case provider.CallSkipped:
		return "was not run"
	}
	if m.Failed {
		return "failed"
	}
	return "answered"
}

// compacted says in a line what a summary does; its text is for the model.
func compacted(m provider.Message) string {
	covered := m.Covers.Until - m.Covers.From
	switch {
	case covered <= 0:
		return "No longer compacted: the model reads every message again."
	case m.Text == "":
		return fmt.Sprintf("Compacted: %s, of which the model no longer reads what tools gave.", quantity.Plural(covered, "message"))
	}
	return fmt.Sprintf("Compacted: %s, in place of which the model reads a summary.", quantity.Plural(covered, "message"))
}

// cited lists the sources of an answer.
func cited(out *bytes.Buffer, sources []string) {
	if len(sources) == 0 {
		return
	}
	out.WriteString("\nSources:\n\n")
	for _, source := range sources {
		fmt.Fprintf(out, "- %s\n", sanitize.Line(source))
	}
}

// origin names the prompt that a text is from.
func origin(m provider.Message) string {
	if m.From == "" {
		return ""
	}
	return "*From the prompt " + sanitize.Line(m.From) + ":*\n\n"
}

// attached writes the resources that were attached to a question.
func attached(out *bytes.Buffer, m provider.Message) {
	for _, a := range m.Attached {
		fmt.Fprintf(out, "\n**%s**", sanitize.Line(a.Name()))
		if a.Images > 0 {
			out.WriteString(" with " + quantity.Plural(a.Images, "image"))
		}
		out.WriteString("\n")
		if a.Text != "" {
			fmt.Fprintf(out, "\n%s\n", fenced("", sanitize.Text(a.Text)))
		}
	}
}

func assistant(out *bytes.Buffer, m provider.Message, calls map[string]provider.ToolCall) {
	if thinking := strings.TrimSpace(sanitize.Text(m.Thinking)); thinking != "" {
		fmt.Fprintf(out, "\n> %s\n", strings.ReplaceAll(thinking, "\n", "\n> "))
	}
	if text := strings.TrimSpace(sanitize.Text(m.Text)); text != "" {
		fmt.Fprintf(out, "\n%s%s\n", origin(m), text)
	}
	for _, c := range m.Calls {
		fmt.Fprintf(out, "\n**%s** called with:\n\n%s\n", sanitize.Line(c.Name), fenced("json", sanitize.Text(string(c.Arguments))))
		for _, repair := range calls[c.ID].Repairs {
			fmt.Fprintf(out, "\n*mended: %s*\n", sanitize.Line(repair))
		}
	}
	if m.Partial {
		out.WriteString("\n*(stopped here)*\n")
	}
}

// fenced puts text into a code block whose fence is longer than any run of backticks in it.
func fenced(language, text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
