package composer

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// match is one way to go on with what is being typed.
type match struct {
	label, args, detail string
	insert              string              // stands in the place of the word then
	send                bool                // enter sends it at once
	address             bool                // the label is one: both its ends tell which it is
	template            *mcpclient.Resource // its variables are asked for before it is an address
}

// Command is a slash command as it is typed.
type Command struct {
	Name string
	Args string // how its arguments are shown, or ""
	Help string
}

// Offers is what servers offer to be named in a draft.
type Offers interface {
	Prompts() []mcpclient.Prompt
	Resources() []mcpclient.Resource
}

// completion is the list of commands, prompts and resources that fit what is being typed.
type completion struct {
	commands []Command
	offers   Offers // nil: there are none
	fits     []match
	seen     look.List
	draft    string // what fits was made for
	shut     bool   // until the draft changes
	word     string // the part of it that a fit takes the place of: it ends at the cursor

	hasPrompts   bool // there is something to ask for
	hasResources bool // there is something to mention
}

// mostFits is how many are listed at most.
const mostFits = 200

// follow brings the list up to date with the draft, of which some stands before the cursor.
func (c *completion) follow(draft, before string) {
	if draft == c.draft && strings.HasSuffix(before, c.word) {
		return
	}
	*c = completion{commands: c.commands, offers: c.offers, draft: draft, hasPrompts: c.hasPrompts, hasResources: c.hasResources}
	switch {
	case strings.HasPrefix(draft, "/") && !strings.Contains(draft, "\n"):
		c.word = draft
		c.addCommands(strings.ToLower(draft[1:]))
		c.addPrompts(strings.ToLower(draft[1:]))
	default:
		c.word = lastWord(before)
		if typed, ok := strings.CutPrefix(strings.TrimLeft(c.word, `("'`), "@"); ok {
			c.word = "@" + typed
			c.addResources(strings.ToLower(typed))
		}
	}
	if len(c.fits) == 1 && c.fits[0].insert == c.word && c.fits[0].template == nil && strings.HasPrefix(c.word, "@") {
		c.fits = nil // there is nothing to choose: enter sends
	}
}

// refresh makes the list again, when others may fit than did before. One that was closed stays closed.
func (c *completion) refresh(before string) {
	if c.shut {
		return
	}
	draft, seen := c.draft, c.seen
	c.draft = ""
	c.follow(draft, before)
	c.seen = seen
	c.seen.At = min(seen.At, max(0, len(c.fits)-1))
}

// Mention is how a resource is named in a draft.
func Mention(server, uri string) string { return "@" + server + ":" + uri }

func lastWord(text string) string {
	return text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
}

func (c *completion) addCommands(typed string) {
	if strings.Contains(typed, " ") {
		return
	}
	for _, cmd := range c.commands {
		if strings.HasPrefix(cmd.Name, typed) {
			insert := "/" + cmd.Name
			if cmd.Args != "" {
				insert += " "
			}
			c.fits = append(c.fits, match{label: "/" + cmd.Name, args: cmd.Args, detail: cmd.Help, insert: insert, send: true})
		}
	}
}

// addPrompts lists those whose name begins so, or of which a part of the name or the title does.
func (c *completion) addPrompts(typed string) {
	if c.offers == nil || c.draft == "" {
		return
	}
	var others []match
	for _, p := range c.offers.Prompts() {
		name := attach.Name(p)
		f := match{label: name, args: argumentWords(p), detail: look.About(p.Title, p.Description), insert: name, send: true}
		if len(p.Arguments) > 0 {
			f.insert += " "
		}
		switch lower := strings.ToLower(name[1:]); {
		case strings.HasPrefix(lower, typed):
			c.fits = append(c.fits, f)
		case !strings.Contains(typed, " ") && strings.Contains(lower+" "+strings.ToLower(p.Title), typed):
			others = append(others, f)
		}
	}
	c.fits = append(c.fits, others...)
	c.fits = c.fits[:min(len(c.fits), mostFits)]
}

// argumentWords is how the arguments of a prompt are written: "city=… [state=…]".
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

// addResources lists servers with resources, and the resources of one that is named, or of all that fit.
func (c *completion) addResources(typed string) {
	if c.offers == nil {
		return
	}
	all := c.offers.Resources()
	c.addServers(all, typed)
	server, rest, named := strings.Cut(typed, ":")
	for i := range all {
		r := &all[i]
		words := strings.ToLower(r.URI + " " + r.Name + " " + r.Title)
		fits := typed != "" && strings.Contains(words, typed)
		if named && strings.ToLower(r.Server) == server {
			fits = strings.Contains(words, rest)
		}
		if len(c.fits) >= mostFits {
			return
		}
		if fits {
			c.fits = append(c.fits, resourceFit(r, named))
		}
	}
}

// resourceFit leaves the server out of the label where it is named already.
func resourceFit(r *mcpclient.Resource, named bool) match {
	f := match{label: r.URI, insert: Mention(r.Server, r.URI), address: true, detail: look.About(cmp.Or(r.Title, r.Name), r.Description)}
	if !named {
		f.label = f.insert
	}
	if r.Template {
		f.template = r
	}
	return f
}

// addServers lists the servers that have resources, while none is named yet.
func (c *completion) addServers(all []mcpclient.Resource, typed string) {
	if strings.Contains(typed, ":") {
		return
	}
	for from := 0; from < len(all); {
		until, templates := from, 0
		for ; until < len(all) && all[until].Server == all[from].Server; until++ {
			if all[until].Template {
				templates++
			}
		}
		if name := all[from].Server; strings.HasPrefix(strings.ToLower(name), typed) {
			var has []string
			if n := until - from - templates; n > 0 {
				has = append(has, quantity.Plural(n, "resource"))
			}
			if templates > 0 {
				has = append(has, quantity.Plural(templates, "template"))
			}
			c.fits = append(c.fits, match{label: "@" + name + ":", detail: strings.Join(has, ", "), insert: "@" + name + ":"})
		}
		from = until
	}
}

// close takes the list away until the draft changes.
func (c *completion) close() { c.fits, c.shut = nil, true }

// Invitation says what there is to be typed, or how many ways there are to go on with what is.
func (c *completion) Invitation(width int) string {
	words := "/ commands"
	switch n := len(c.fits); {
	case n > 1 && width < look.Roomy:
		return fmt.Sprintf("%d/%d", c.seen.At+1, n)
	case n > 1:
		return fmt.Sprintf("%d of %d · tab takes it", c.seen.At+1, n)
	case n == 1:
		return "tab takes it"
	case width < look.Roomy:
		return words
	}
	if c.hasPrompts {
		words += ", prompts"
	}
	if c.hasResources {
		words += " · @ resources"
	}
	return words
}

// Usage is how the arguments of the command or prompt that is being typed are written, or "".
func (c *completion) Usage() string {
	name, _, typed := strings.Cut(c.draft, " ")
	name, slash := strings.CutPrefix(name, "/")
	if !slash || !typed {
		return ""
	}
	for _, cmd := range c.commands {
		if cmd.Name == strings.ToLower(name) && cmd.Args != "" {
			return "/" + cmd.Name + " " + cmd.Args
		}
	}
	if c.offers == nil {
		return ""
	}
	if call, ok, _ := attach.Parse(attach.Typed(c.draft), c.offers.Prompts()); ok {
		return strings.TrimSpace(call.Name() + " " + argumentWords(call.Prompt))
	}
	return ""
}

// key takes the keys of the open list. chosen is the fit that was chosen, if one was; entered tells that it was by enter.
func (c *completion) key(k tea.KeyPressMsg) (chosen *match, entered, known bool) {
	switch k.String() {
	case "up":
		c.seen.Turn(false, len(c.fits))
	case "down":
		c.seen.Turn(true, len(c.fits))
	case "esc":
		c.close()
	case "tab":
		return &c.fits[c.seen.At], false, true
	case "enter":
		return &c.fits[c.seen.At], true, true
	default:
		return nil, false, false
	}
	return nil, false, true
}

// view draws at most height rows, with the chosen one among them.
func (c *completion) view(width, height int, st *look.Look) []string {
	return c.seen.View(len(c.fits), func(i int) look.Item {
		f := c.fits[i]
		label := f.label
		if f.address {
			label = st.Middle(sanitize.Line(label), max(16, width*3/5-2))
		}
		if f.args != "" && width >= look.Roomy {
			label += " " + f.args
		}
		return look.Item{Label: label, Detail: f.detail}
	}, width, height, st)
}
