package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/window"
	"github.com/aloudchat/aloud/sanitize"
)

// readMore is a tool of ours. It is offered once a result was too long for the context, so that the model can read what was left out.
var readMore = mcpclient.Tool{
	Name: "read_more", ServerTool: "read_more", Title: "Read More", Trusted: true, ReadOnly: true, Idempotent: true,
	Description: "Reads on in a tool result that was cut because it was too long.",
	Schema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"the id that the cut result names"},` +
		`"from":{"type":"integer","minimum":0,"description":"the byte to begin with"}},"required":["id"]}`),
}

// isReadMore tells our own tool from one of a server that has the same name.
func isReadMore(t mcpclient.Tool) bool { return t.Name == readMore.Name && t.Server == "" }

// mostKept is how many bytes of cut results a chat keeps, the newest first.
const mostKept = 64 << 20

// shelf keeps the whole text of results that were cut. The zero value is empty.
type shelf struct {
	kept []keptText // the oldest first
	size int
}

// keptText is the whole text of a result, and what of it is in the conversation. Each conversation numbers its own
// calls, so the id alone does not tell which result it is, nor do the ends of a text that are left.
type keptText struct{ id, cut, text string }

// put keeps a text, and reports whether it did: one that is too large has no place.
func (s *shelf) put(id, cut, text string) bool {
	if len(text) > mostKept {
		return false
	}
	s.kept, s.size = append(s.kept, keptText{id, cut, text}), s.size+len(text)
	for s.size > mostKept {
		s.size -= len(s.kept[0].text)
		s.kept = slices.Delete(s.kept, 0, 1) // which lets go of the text, too
	}
	return true
}

// whole returns the whole text of a message that has a cut result.
func (s *shelf) whole(m provider.Message) (text string, ok bool) {
	for _, k := range slices.Backward(s.kept) {
		if m.Role == provider.RoleTool && m.CallID == k.id && strings.HasPrefix(m.Text, k.cut) {
			return k.text, true
		}
	}
	return "", false
}

// cutToFit trims a result to room bytes. What is cut is kept, and the model is told how to read it.
func (r *round) cutToFit(j *job, text string, room int) string {
	kept, cut := window.Trim(text, room)
	if cut && !isReadMore(j.tool) && r.chat.shelf.put(j.ID, kept, text) {
		r.tools.add(readMore)
		j.postscript = fmt.Sprintf("\n[To read what was left out, call %s with {\"id\": %q, \"from\": %d}.]", readMore.Name, j.ID, alike(kept, text))
	}
	return kept
}

// alike is how many bytes at the beginning of a cut text are those of the whole one.
func alike(cut, whole string) int {
	n := 0
	for n < len(cut) && n < len(whole) && cut[n] == whole[n] {
		n++
	}
	return n
}

// readOn answers a call of the tool. It reads what the model was allowed to read before, so it need not ask.
func (r *round) readOn(j *job, room int) {
	text, err := r.part(j.arguments, room)
	if err != nil {
		r.settle(j, provider.CallError, err.Error())
		return
	}
	r.note(j, mcpclient.Result{Text: text}, text)
	r.settle(j, provider.CallOK, text)
}

// part is the piece of a cut result of this conversation that the arguments ask for. The error is for the model.
func (r *round) part(arguments json.RawMessage, room int) (string, error) {
	var what struct {
		ID   string `json:"id"`
		From int    `json:"from"`
	}
	if err := json.Unmarshal(arguments, &what); err != nil {
		return "", fmt.Errorf("the arguments are not as they should be: %w", err)
	}
	text, ok := "", false
	if i := slices.IndexFunc(r.history.messages, func(m provider.Message) bool { return m.Role == provider.RoleTool && m.CallID == what.ID }); i >= 0 {
		text, ok = r.chat.shelf.whole(r.history.messages[i])
	}
	if !ok {
		return "", fmt.Errorf("the whole result %q is not kept any more; call its tool again", sanitize.Cut(what.ID, 100))
	}
	from := max(0, what.From)
	part := window.Part(text, from, room)
	if part == "" {
		return fmt.Sprintf("(nothing behind byte %d: the text has %d bytes)", from, len(text)), nil
	}
	until := from + len(part)
	said := fmt.Sprintf("[bytes %d to %d of %d]\n%s", from, until, len(text), part)
	if until < len(text) {
		said += fmt.Sprintf("\n[Go on with {\"id\": %q, \"from\": %d}.]", what.ID, until)
	}
	return said, nil
}
