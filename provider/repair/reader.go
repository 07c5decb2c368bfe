package repair

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// textCalls is a block of calls in a message, and the words around it.
type textCalls struct {
	Calls         []textCall // may be empty
	Before, After string
	Tagged        bool // among words, but between tags of calls
}

// alone reports whether the calls are the whole message.
func (f textCalls) alone() bool { return strings.TrimSpace(f.Before+f.After) == "" }

// broken reports whether a call could not be read.
func (f textCalls) broken() bool {
	return slices.ContainsFunc(f.Calls, func(call textCall) bool { return call.Complaint != "" })
}

// find returns the calls that a message consists of, or else the first block of calls in it. A message that was cut
// must have the end of each call.
func find(text []byte, known func(name string) bool, cut bool) textCalls {
	const tries = 30 // each can parse the rest of the message
	r := reader{known: known, text: text, strict: cut}
	if calls := r.calls(); len(r.text) == 0 && len(calls) > 0 {
		return textCalls{Calls: calls}
	}
	head := true // only white space so far in this line
	for at, tried := 0, 0; at < len(text) && tried < tries; at++ {
		c := text[at]
		if strings.IndexByte("{[<`", c) >= 0 || head && letter(c) {
			r := reader{known: known, text: text[at:], strict: true}
			if head && letter(c) && !r.python() {
				head = false
				continue
			}
			tried++
			calls := r.calls()
			moreInFence := r.fenced && len(bytes.TrimSpace(r.text)) > 0
			if len(calls) > 0 && !moreInFence {
				tagged := marks().Match(text[at:]) || functionTag().Match(text[at:])
				return textCalls{calls, string(text[:at]), string(r.text), tagged}
			}
		}
		head = c == '\n' || head && strings.IndexByte(white, c) >= 0
	}
	return textCalls{}
}

// reader parses calls at the beginning of a text, in the forms of many models.
type reader struct {
	known  func(name string) bool
	text   []byte // the rest
	strict bool   // as among other words: a call must be complete and have arguments
	named  bool   // the name of a tool may come next
	fenced bool   // in a code fence
	tagged bool   // a call between function tags was read
	begun  bool   // a call was read
}

const nameLimit = 128 // bytes

var (
	// marks are tags and tokens around calls, which may be missing or repeated.
	marks = sanitize.Pattern(`^(?:</?(?:tool_calls?|tool|function_calls?|tools|tool_code)>|` +
		`<\|?/?\|?tool_calls?(?:_start|_end)?\|?>|<｜tool▁calls?▁(?:begin|end)｜>|` +
		`<\|(?:python_tag|eom_id|eot_id|im_end|end|endoftext|end_of_text|call|return)\|>|</s>|<end_of_turn>|` +
		`\[/?TOOL_CALLS\]|\[(?:END_)?TOOL_REQUEST\])`)
	// opening matches what comes before a name: the marks of Llama, Gemma 3 and 4, Mistral, DeepSeek and gpt-oss.
	opening = sanitize.Pattern(`^(?:<\|python_tag\|>|<tool_code>|<\|tool_call>(?:call:)?|\[TOOL_CALLS\]|` +
		`<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?|` +
		`(?:<\|start\|>assistant)?<\|channel\|>\w+ to=(?:functions\.)?)`)
	// afterName matches the marks of Mistral, DeepSeek and gpt-oss between a name and its arguments.
	afterName = sanitize.Pattern("^(?:\\[ARGS\\]|<｜tool▁sep｜>)?\\s*(?:```json|(?:<\\|constrain\\|>)?json)?" +
		`\s*(?:<\|message\|>)?`)
	// beforeNames are the fence languages before a name.
	beforeNames = []string{"tool_code", "tool_call"}
)

// skip skips marks, code fences and separators.
func (r *reader) skip() {
	for {
		between := white + ";,"
		if r.begun {
			between += "}]" // a common mistake
		}
		r.text = bytes.TrimLeft(r.text, between)
		if mark := opening().Find(r.text); mark != nil {
			r.text, r.named = r.text[len(mark):], true
			continue
		}
		if mark := marks().Find(r.text); mark != nil {
			r.text, r.named = r.text[len(mark):], false
			continue
		}
		rest, fence := bytes.CutPrefix(r.text, []byte("```"))
		if !fence {
			return
		}
		if r.fenced {
			r.text, r.fenced = rest, false
			continue
		}
		language, next, _ := nameAt(rest)
		if next == '`' || next == 0 {
			return
		}
		r.text, r.fenced = rest[len(language):], true
		r.named = slices.Contains(beforeNames, strings.ToLower(string(language)))
	}
}

// calls parses calls up to other text. If one of them is broken, the others may be parts of it, so it is the only one.
func (r *reader) calls() (all []textCall) {
	r.skip()
	begin, whole := r.text, true
	for whole {
		before := r.text
		calls := r.item()
		if len(calls) == 0 {
			r.text = before
			break
		}
		for i := range calls {
			if calls[i].Text == "" {
				calls[i].Text = string(before[:len(before)-len(r.text)])
			}
		}
		all, r.begun = append(all, calls...), true
		whole = calls[0].Complaint == "" && !r.inString()
		r.skip()
	}
	if len(all) > 0 && (!whole || r.tagged && strayTag().Match(r.text)) {
		r.text = nil
		return []textCall{broken(all[0].Name, string(begin))}
	}
	return all
}

// item parses a call or a list of calls.
func (r *reader) item() []textCall {
	inside, isList := bytes.CutPrefix(r.text, []byte("["))
	switch inside = bytes.TrimLeft(inside, white); {
	case len(inside) == 0:
		return nil
	case inside[0] == '{':
		return r.jsonCalls(r.value(), 0)
	case isList:
		r.text = inside
		return r.pythonList()
	case inside[0] == '<':
		return r.function()
	case !letter(inside[0]):
		return nil
	}
	name, next, _ := nameAt(r.text)
	rest := r.text[len(name):]
	switch {
	case next == '[' && string(name) == "functools": // Phi
		r.text = rest
		return r.jsonCalls(r.value(), 0)
	case next == '(' && (r.named || r.strict && !r.fenced): // other fences contain code
		if r.inPrint(name) {
			return r.printed()
		}
		return r.pythonCall()
	case r.named:
		between := afterName().Find(rest)
		r.text = rest[len(between):]
		calls := r.withArguments(string(name))
		if bytes.Contains(between, []byte("```")) {
			r.text = bytes.TrimPrefix(bytes.TrimLeft(r.text, white), []byte("```"))
		}
		return calls
	}
	return nil
}

// value parses one JSON value, valid or not. It returns nil for anything else.
func (r *reader) value() json.RawMessage {
	var value json.RawMessage
	if d := json.NewDecoder(bytes.NewReader(r.text)); d.Decode(&value) == nil {
		r.text = r.text[d.InputOffset():]
		return value
	}
	p := parser{text: r.text}
	if !p.value() || p.unclosed && r.strict {
		return nil
	}
	r.text = p.text
	return p.out.Bytes()
}

// withArguments parses the JSON object after the name of a tool.
func (r *reader) withArguments(name string) []textCall {
	r.text = bytes.TrimLeft(r.text, white)
	if !r.known(name) || !bytes.HasPrefix(r.text, []byte("{")) {
		return nil
	}
	if arguments := r.value(); arguments != nil {
		return []textCall{{Name: name, Arguments: arguments}}
	}
	return nil
}

// python reports whether a Python call of a tool comes next. Llama 3 writes name.call(…).
func (r *reader) python() bool {
	name, next, _ := nameAt(r.text)
	return next == '(' && r.known(strings.TrimSuffix(string(name), ".call"))
}

// pythonCall parses name(x="value", n=3).
func (r *reader) pythonCall() []textCall {
	if !r.python() {
		return nil
	}
	name, _, _ := nameAt(r.text)
	arguments, unnamed, rest := keywords(r.text[len(name):])
	if arguments == nil || unnamed && !(r.fenced && r.named) {
		return nil
	}
	call := textCall{Name: strings.TrimSuffix(string(name), ".call"), Arguments: arguments, Unnamed: unnamed}
	call.Text = string(r.text[:len(r.text)-len(rest)])
	r.text = rest
	return []textCall{call}
}

// inPrint reports whether a name is that of the function print in a fence of calls.
func (r *reader) inPrint(name []byte) bool {
	return r.fenced && r.named && string(name) == "print" && !r.known("print")
}

// printed parses a call in print(…), the form of Gemma.
func (r *reader) printed() []textCall {
	r.text = bytes.TrimLeft(bytes.TrimPrefix(r.text, []byte("print(")), white)
	call := r.pythonCall()
	rest, closed := bytes.CutPrefix(bytes.TrimLeft(r.text, white), []byte(")"))
	if call == nil || !closed {
		return nil
	}
	r.text = rest
	return call
}

// pythonList parses a list of Python calls after its bracket.
func (r *reader) pythonList() (all []textCall) {
	for {
		call := r.pythonCall()
		if call == nil {
			return nil
		}
		all = append(all, call...)
		r.text = bytes.TrimLeft(r.text, white+",")
		if rest, closed := bytes.CutPrefix(r.text, []byte("]")); closed {
			r.text = rest
			return all
		}
	}
}

// firstPair matches the first key of the first object and the beginning of its value.
var firstPair = sanitize.Pattern(`^[\[{\s]*["']?(\w*)["']?\s*(:\s*(?:["']([^"'\\]*)(["'])?)?)?`)

// mayBegin reports whether a message that begins with the text may consist of calls.
func (r *reader) mayBegin() bool {
	r.skip()
	inside, isList := bytes.CutPrefix(r.text, []byte("["))
	inside = bytes.TrimLeft(inside, white)
	if function, next, _ := nameAt(inside); next == '(' && r.inPrint(function) {
		inside = bytes.TrimLeft(inside[len("print("):], white)
	}
	if len(inside) == 0 {
		return len(r.text) < nameLimit
	}
	name, next, whole := nameAt(bytes.TrimPrefix(inside, []byte("/")))
	switch c := inside[0]; {
	case c == '{':
		pair := firstPair().FindSubmatch(r.text)
		key, value := string(pair[1]), string(pair[3])
		if len(pair[2]) == 0 {
			begins := func(k string) bool { return strings.HasPrefix(k, key) }
			return len(pair[0]) == len(r.text) && slices.ContainsFunc(callKeys, begins)
		}
		return slices.Contains(callKeys, key) && (len(pair[4]) == 0 || !slices.Contains(nameKeys, key) || r.known(value))
	case c == '`':
		language := bytes.TrimPrefix(inside, []byte("```"))
		name, _, whole := nameAt(language)
		return strings.HasPrefix("``", string(inside)) || len(language) < len(inside) && !whole && len(name) < nameLimit
	case c == '<' && (bytes.IndexByte(inside, '>') < 0 || inside[1] == '|' || inside[1] == "｜"[0]): // a token
		return len(inside) < nameLimit
	case c == '<':
		tag := functionTag().FindSubmatch(inside)
		return tag != nil && r.known(tagValue(tag[1]))
	case len(name) > 0 && !letter(name[0]):
		return false
	case !whole:
		return len(name) < nameLimit && (isList || r.named || strings.HasPrefix("functools", string(name)))
	case next == '[' && string(name) == "functools":
		return true
	}
	after := inside[len(name):]
	after = bytes.TrimLeft(after[len(afterName().Find(after)):], white)
	return (isList || r.named) && (next == '(' || r.named && (len(after) < nameLimit || after[0] == '{')) &&
		(r.known(strings.TrimSuffix(string(name), ".call")) || string(name) == "function")
}

// mayGoOn reports whether an incomplete message may consist of calls.
func (r *reader) mayGoOn() bool {
	r.calls()
	if len(r.text) == 0 {
		return true
	}
	whole := reader{text: r.text, strict: true}
	if (r.text[0] == '{' || r.text[0] == '[') && whole.value() != nil { // a complete value, but not a call
		return false
	}
	return r.mayBegin()
}

// nameAt returns the name at the beginning of text and the byte after it. whole is false if the name may continue.
func nameAt(text []byte) (name []byte, next byte, whole bool) {
	for i, c := range text {
		if !letter(c) && (c < '0' || c > '9') && strings.IndexByte(".-/:", c) < 0 {
			return text[:i], c, true
		}
		if i > nameLimit {
			break
		}
	}
	return text, 0, false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
