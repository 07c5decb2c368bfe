package dialog

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// NewServer is a server that is not in the configuration yet.
type NewServer struct {
	Name string
	// Try starts the server, lists its tools, and ends it.
	Try func(ctx context.Context) (mcpclient.ServerStatus, []mcpclient.Tool)
	// Add writes the server to the configuration file, and starts it for this chat. Its read-only tools, or all, run
	// without asking. The error names the server.
	Add func(readOnly, all bool) error
}

// Adding adds servers.
type Adding struct {
	// Read reads a command line or an address as it was typed. If name is "", it chooses one. It is nil if there is no
	// configuration to change.
	Read func(line, name string) (NewServer, error)
	File string         // the configuration file, as it is shown
	Open func(d Dialog) // opens a dialog
}

const serverHint = "A command, like npx -y @scope/server ~/notes, or an address, like https://example.com/mcp. " +
	"NAME=value before a command sets a variable, and 'Name: value' after an address a header. " +
	"For a secret write ${NAME}, a variable of your shell."

// addServer asks for a server and its name. It stays open below the trial of the server until that is added.
type addServer struct {
	*form
	Adding
	chosen string // the name that Read has chosen
}

func newAddServer(a Adding) Dialog {
	d := &addServer{Adding: a, form: newForm(elicit.Form{Fields: []elicit.Field{
		{Name: "line", Title: "Server", Kind: elicit.Text, Required: true, Description: serverHint},
		{Name: "name", Title: "Name", Kind: elicit.Text, Required: true},
	}})}
	d.title, d.keys = "Add a server", []string{"enter to try it · esc to cancel"}
	d.above = func(int, *look.Look) []string { return nil }
	d.leave = func() tea.Cmd { return nil }
	d.press = func(_ int, values map[string]any) tea.Cmd {
		server, err := d.Read(values["line"].(string), values["name"].(string))
		if err != nil {
			d.fields[1].fault = Sentence(err)
			return nil
		}
		return d.try(server)
	}
	return d
}

// Update implements Dialog. When the cursor leaves the line, it checks it, and chooses a name unless you wrote one.
func (d *addServer) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	line, name, before := d.fields[0], d.fields[1], d.here().field
	done, cmd = d.form.Update(msg)
	if before == 0 && d.here().field == 1 {
		server, err := d.Read(line.text.Text, "")
		switch {
		case err != nil:
			line.fault, d.at = Sentence(err), 0
		case name.text.Text == d.chosen:
			d.chosen = server.Name
			name.text.Put(server.Name, "")
		}
	}
	return done && keyOf(msg) != "enter", cmd
}

// try opens a page that shows how the first start of a server goes, and then asks whether to add it.
func (d *addServer) try(server NewServer) tea.Cmd {
	p := newText("Trying "+server.Name, func(width int, st *look.Look) []string {
		return st.Prose(nil, "Starting it to list its tools. The first start may have to install it.", width, st.Text.Render)
	})
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		status, tools := server.Try(ctx)
		send(resultMsg{to: p, asks: true, apply: func() (bool, tea.Cmd) {
			d.tried(p, server, status, tools)
			return false, nil
		}})
	})
	p.answers = []answer{{"esc", "to stop", func() tea.Msg {
		stop()
		return nil
	}}}
	d.Open(p)
	return begin
}

// tried shows the result of a trial.
func (d *addServer) tried(p *page, server NewServer, status mcpclient.ServerStatus, tools []mcpclient.Tool) {
	add := func(readOnly, all bool) tea.Cmd {
		return func() tea.Msg {
			if err := server.Add(readOnly, all); err != nil {
				return Warning{Sentence(err)}
			}
			added := screen.ShowFlash("Added " + sanitize.Line(server.Name) + " to " + d.File)
			return resultMsg{to: d, apply: func() (bool, tea.Cmd) { return true, added }}
		}
	}
	p.answers = []answer{{"enter", "to add, asking for each call", add(false, false)}}
	switch status.State {
	case mcpclient.ServerReady:
		status.Detail, status.Stderr = "", nil
		p.answers = append(p.answers, answer{"r", "to allow read-only tools", add(true, false)},
			answer{"a", "to allow all", add(true, true)})
	case mcpclient.ServerNeedsLogin:
		status.Detail += ". Add it, and press l in the list of servers to log in"
	default:
		p.answers = nil
	}
	p.answers = append(p.answers, answer{"esc", "to go back", nil})
	p.title, p.drawn = look.Dotted(server.Name, stateWords(status)), look.Memo[canvas, []string]{}
	p.draw = func(width int, st *look.Look) []string {
		rows := st.Prose(group{tools: tools}.describe(width, st), status.Detail, width, st.Text.Render)
		return lastOutput(rows, status.Stderr, width, st)
	}
}

// lastOutput appends what a server wrote to standard error.
func lastOutput(rows, wrote []string, width int, st *look.Look) []string {
	if len(wrote) > 0 {
		rows = append(rows, "", "  "+st.Heading.Render("Last output"))
	}
	return st.Prose(rows, strings.Join(wrote, "\n"), width, st.Dim.Render)
}
