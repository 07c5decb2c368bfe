package composer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// match is a completion of the word at the cursor.
type match struct {
	insert       string // replaces the word
	args, detail string
	whole        bool     // the word must be typed or completed before the command runs
	marks        [][2]int // the letters of insert that match
}

// Command is a slash command as you type it.
type Command struct {
	Name  string
	Args  string // how its arguments are shown, or ""
	Help  string
	Whole bool // it changes the conversation, so the beginning of its name only completes it
}

// completion is the list of commands, prompts, files and resources that match the word at the cursor.
type completion struct {
	commands []Command
	offers   attach.Source // may be nil
	matches  []match
	list     look.List
	draft    string // the draft that the matches are for
	shut     bool   // hidden until the draft changes
	word     string // the part of the draft that a match replaces; it ends at the cursor

	folder       attach.Files // may be nil
	files        []file       // that complete a mention
	hasResources bool
}

// mostMatches is the maximum length of the list.
const mostMatches = 200

// follow updates the list for a draft and the part of it before the cursor.
func (c *completion) follow(draft, before string) {
	if draft == c.draft && strings.HasSuffix(before, c.word) {
		return
	}
	c.draft, c.matches, c.list, c.shut = draft, nil, look.List{}, false
	if typed, ok := strings.CutPrefix(strings.ToLower(draft), "/"); ok && !strings.Contains(draft, "\n") {
		c.word = draft
		name, _, _ := attach.Typed(draft).Command()
		if strings.HasPrefix(typed, name) || strings.HasPrefix(name, typed) { // not another name of a command
			c.addCommands(typed)
			c.addPrompts(typed)
		}
	} else {
		c.word = before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
		if typed, ok := strings.CutPrefix(strings.TrimLeft(c.word, `("'`), "@"); ok {
			c.word = "@" + typed
			c.addFiles(strings.ToLower(typed))
			c.addResources(strings.ToLower(typed))
		}
	}
	c.matches = c.matches[:min(len(c.matches), mostMatches)]
	if len(c.matches) == 1 && strings.HasPrefix(c.word, "@") && c.matches[0].insert == c.word {
		c.matches = nil // the only match is already typed: enter sends
	}
}

// refresh updates the list when the offers change. A hidden list stays hidden, and a completion that you chose stays
// chosen.
func (c *completion) refresh(before string) {
	if c.shut {
		return
	}
	draft, list, matches := c.draft, c.list, c.matches
	c.draft = ""
	c.follow(draft, before)
	isChosen := func(m match) bool { return list.At > 0 && m.insert == matches[list.At].insert }
	if at := slices.IndexFunc(c.matches, isChosen); at > 0 {
		list.At = at
	}
	list.At = min(list.At, max(0, len(c.matches)-1))
	c.list = list
}

// Mention returns how a draft refers to a resource.
func Mention(server, uri string) string { return "@" + server + ":" + uri }

// addCommands lists the commands that begin with the typed text, and then those that have its letters, unless it is one
// letter. Those must be completed before they run.
func (c *completion) addCommands(typed string) {
	for _, m := range fuzzy.Find(typed, len(c.commands), func(i int) string { return c.commands[i].Name }, nil) {
		cmd := c.commands[m.Index]
		begins := strings.HasPrefix(cmd.Name, typed)
		if begins || len(typed) > 1 && !spaced(typed) {
			c.add("/"+cmd.Name, cmd.Args, cmd.Help, m)
			c.matches[len(c.matches)-1].whole = cmd.Whole || !begins
		}
	}
}

// spaced reports whether a text has arguments.
func spaced(text string) bool { return strings.ContainsFunc(text, unicode.IsSpace) }

// add adds a completion, with a space after a name that may have arguments. The match is for the name without its first
// character.
func (c *completion) add(name, args, detail string, m fuzzy.Match) {
	marks := m.Letters(name[1:])
	for i := range marks {
		marks[i] = [2]int{marks[i][0] + 1, marks[i][1] + 1}
	}
	if args != "" {
		name += " "
	}
	c.matches = append(c.matches, match{insert: name, args: args, detail: detail, marks: marks})
}

// addPrompts lists the prompts whose name has the letters of the typed text, or whose title has it.
func (c *completion) addPrompts(typed string) {
	if c.offers == nil {
		return
	}
	prompts := c.offers.Prompts()
	name := func(i int) string { return attach.Name(prompts[i])[1:] }
	for _, m := range fuzzy.Find(typed, len(prompts), name, func(i int) string { return prompts[i].Title }) {
		p := prompts[m.Index]
		if spaced(typed) && !strings.Contains(strings.ToLower(name(m.Index)+" "+p.Title), typed) {
			continue
		}
		c.add(attach.Name(p), argumentWords(p), look.Described(p.Title, p.Description), m)
	}
}

// argumentWords returns the arguments of a prompt as you type them: "city=… [state=…]".
func argumentWords(p mcpclient.Prompt) string {
	var words []string
	for _, a := range p.Arguments {
		if a.Required {
			words = append(words, a.Name+"=…")
		} else {
			words = append(words, "["+a.Name+"=…]")
		}
	}
	return strings.Join(words, " ")
}

// addResources lists the resources whose server, address or title contains the typed text. After "server:", the rest
// may be anywhere in them, and files of the folder are listed too.
func (c *completion) addResources(typed string) {
	if c.offers == nil {
		return
	}
	server, rest, named := strings.Cut(typed, ":")
	for _, r := range c.offers.Resources() {
		if !named && c.folder != nil && c.folder.Has(r.URI) {
			continue
		}
		of, words := strings.ToLower(r.Server), strings.ToLower(r.URI+" "+r.Name+" "+r.Title)
		if !strings.Contains(of+":"+words, typed) && !(named && of == server && strings.Contains(words, rest)) {
			continue
		}
		c.add(Mention(r.Server, r.URI), "", look.Described(cmp.Or(r.Title, r.Name), r.Description), fuzzy.Match{})
	}
}

// close hides the list until the draft changes.
func (c *completion) close() { c.matches, c.shut = nil, true }

// dismiss hides the list, and reports whether it was shown.
func (c *completion) dismiss() (shown bool) {
	if shown = len(c.matches) > 0; shown {
		c.close()
	}
	return shown
}

// invitation returns the hint below the draft: what can be typed, or the number of completions and the key to complete.
func (c *completion) invitation(complete string) string {
	switch {
	case len(c.matches) > 0:
		return look.Dotted(fmt.Sprintf("%d of %d", c.list.At+1, len(c.matches)), complete)
	case c.folder != nil:
		return "/ commands · @ files"
	case c.hasResources:
		return "/ commands · @ resources"
	}
	return "/ commands"
}

// step chooses another completion, and reports whether any are listed.
func (c *completion) step(by int) bool {
	if n := len(c.matches); n > 0 {
		c.list.At = (c.list.At + n + by) % n
	}
	return len(c.matches) > 0
}

// List draws at most height rows of the list of completions.
func (c *completion) List(width, height int, st *look.Look) []string {
	item := func(i int) look.Item {
		m := c.matches[i]
		label, marks := strings.TrimSpace(m.insert), m.marks
		if strings.HasPrefix(label, "@") {
			if label = st.Middle(sanitize.Line(label), max(16, width*3/5-2)); label != m.insert {
				marks = nil // they are for other bytes
			}
		}
		if m.args != "" && width >= look.Roomy {
			label += " " + m.args
		}
		return look.Item{Label: label, Marks: marks, Detail: m.detail}
	}
	var columns look.Columns
	for i := range c.matches {
		columns.Add(item(i))
	}
	return c.list.View(len(c.matches), item, columns, width, height, st)
}
