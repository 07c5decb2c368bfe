package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// readMore is a tool of the loop. The model has it while it sees a result that was cut. Adding it changes the
// beginning of the prompt, so the server reads the conversation again once.
var readMore = mcpclient.Tool{
	Name: "read_more", Server: "aloud", ServerTool: "read_more", BuiltIn: "aloud", Title: "Read More",
	Trusted: true, ReadOnly: true, // not Idempotent: what it returns depends on the room
	Description: "Read the part of a tool result that was left out, or find text in it.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"id":{"type":"string","description":"id in the note about what was left out"},` +
		`"from":{"type":"integer","minimum":0,"description":"first byte to read"},` +
		`"find":{"type":"string","description":"text to find instead of reading"}},"required":["id"]}`),
}

const (
	keptBytes = 16 << 20 // of all cut results of a chat, and of one
	noteBytes = 200      // of a note on how to read on, about
	found     = 20       // places of a text that are returned
	around    = 100      // bytes before and after a place
)

// shelf keeps the whole text of results that were cut, the newest last. The zero value is empty.
type shelf []wholeResult

// wholeResult is a result that was cut. Ids are unique in a conversation only, so what was kept tells it from others.
type wholeResult struct{ id, kept, text string }

// cut returns a result in room bytes, and tells the model how to read what is left out. kept is the result itself.
func (s *shelf) cut(id, text string, room int) (kept, note string) {
	kept, cut := provider.Trim(text, room)
	if text = strings.ToValidUTF8(text, "\uFFFD"); !cut || !s.put(wholeResult{id, kept, text}) {
		return kept, ""
	}
	quoted, _ := json.Marshal(id) // cannot fail for a string
	return kept, fmt.Sprintf("\n[To read on, call %s with {\"id\":%s,\"from\":%d}. To search in it, call it with "+
		"{\"id\":%[2]s,\"find\":\"…\"}.]", readMore.Name, quoted, alike(kept, text))
}

// put keeps a result, and reports whether it does.
func (s *shelf) put(w wholeResult) bool {
	size := len(w.text)
	if size > keptBytes {
		return false
	}
	from := len(*s)
	for from > 0 && size+len((*s)[from-1].text) <= keptBytes {
		from--
		size += len((*s)[from].text)
	}
	*s = append(slices.Clone((*s)[from:]), w)
	return true
}

// whole returns the whole text of the result in a message, if it was cut.
func (s shelf) whole(m provider.Message) (text string, ok bool) {
	if m.Role != provider.RoleTool {
		return "", false
	}
	for _, w := range slices.Backward(s) { // a question that was asked again has the same ids
		if w.id == m.CallID && (strings.HasPrefix(m.Text, w.kept) || strings.HasPrefix(m.Text, provider.FailedMark+w.kept)) {
			return w.text, true
		}
	}
	return "", false
}

// seesCut reports whether the model sees a result that was cut, or a part of one, which may have taken its room.
func (t *turn) seesCut() bool {
	s := t.chat.Shared.shelf
	return len(s) > 0 && slices.ContainsFunc(t.toSend(), func(m provider.Message) bool {
		_, ok := s.whole(m)
		return ok || m.Role == provider.RoleTool && m.Tool == readMore.Name
	})
}

// alike returns how many bytes two texts have in common at the beginning.
func alike(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// readOn answers a call of readMore. It needs no approval, because the model could read the result before.
func (r *round) readOn(j *job, room int) {
	text, err := r.part(j.arguments, room)
	if err != nil {
		r.settle(j, event.CallError, err.Error())
		return
	}
	r.note(j, mcpclient.Result{Text: text}, text)
	r.settle(j, event.CallOK, text)
}

// part returns what the arguments ask for. The error is for the model.
func (r *round) part(arguments json.RawMessage, room int) (string, error) {
	var asked struct {
		ID   string `json:"id"`
		From int    `json:"from"`
		Find string `json:"find"`
	}
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return "", errors.New("the arguments are invalid: id and find must be strings, and from a whole number")
	}
	i := slices.IndexFunc(r.history.messages, func(m provider.Message) bool {
		return m.Role == provider.RoleTool && m.CallID == asked.ID
	})
	if i < 0 {
		return "", fmt.Errorf("no result has the id %q. Use the id in the note about what was left out",
			sanitize.Cut(asked.ID, 100))
	}
	text, ok := r.chat.Shared.shelf.whole(r.history.messages[i])
	switch {
	case !ok:
		return "", fmt.Errorf("the rest of the result %q is not kept any more. Call its tool again", asked.ID)
	case asked.Find != "":
		return places(text, asked.Find, room), nil
	case asked.From >= len(text):
		return fmt.Sprintf("The result has only %d bytes.", len(text)), nil
	}
	part, end := provider.Part(text, max(asked.From, 0), room)
	note := "\n[This is the end.]"
	if end < len(text) {
		note = fmt.Sprintf("\n[To read on, use \"from\":%d.]", end)
	}
	return fmt.Sprintf("[Up to byte %d of %d:]\n%s%s", end, len(text), part, note), nil
}

// places returns where a text has a word, with what is around it, in at most room bytes. Upper and lower case are the
// same, unless the text has letters whose size depends on that.
func places(text, word string, room int) string {
	in, what := strings.ToLower(text), strings.ToLower(word)
	if len(in) != len(text) {
		in, what = text, word
	}
	var list strings.Builder
	n := strings.Count(in, what)
	fmt.Fprintf(&list, "[%q is at %s of %d bytes.]", sanitize.Cut(word, 100), quantity.Plural(n, "place"), len(text))
	for at, shown := 0, 0; shown < found; shown++ {
		i := strings.Index(in[at:], what)
		if i < 0 {
			break
		}
		at += i
		from, until := max(0, at-around), min(len(text), at+len(what)+around)
		words := strings.Fields(strings.ToValidUTF8(text[from:until], ""))
		line := fmt.Sprintf("\nbyte %d: …%s…", from, strings.Join(words, " "))
		if list.Len()+len(line) > room {
			break
		}
		list.WriteString(line)
		at += len(what)
	}
	return list.String()
}
