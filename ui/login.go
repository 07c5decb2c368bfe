package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// login is the dialog in which a person logs in to a server: it shows the address of the page, and takes the one that the browser was sent to
// where that cannot reach us.
type login struct {
	ctx    context.Context
	cancel context.CancelFunc
	server string
	page   func(address string) error // nil: there is no browser

	visits  chan visitMsg // of Visit, on its way into the dialog
	pasted  chan string   // what was pasted, on its way to the login
	address string
	shown   error // why the browser did not show it
	wrong   error // what was pasted last, when that was not it
	failed  error // how it ended, when it did not go well
	field   field
}

// visitMsg brings the address of the page, or what is wrong with what was pasted.
type visitMsg struct {
	login   *login
	address string
	wrong   error
}

// visitedMsg tells whether the browser shows the page.
type visitedMsg struct {
	login *login
	err   error
}

// loggedInMsg is how a login ended.
type loggedInMsg struct {
	login *login
	err   error
}

func newLogin(ctx context.Context, server string, page func(string) error) *login {
	l := &login{server: server, page: page, visits: make(chan visitMsg), pasted: make(chan string, 1)}
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l
}

// begin is the command that logs in, and the one that waits for the address meanwhile.
func (l *login) begin(keeper Keeper) tea.Cmd {
	return tea.Batch(l.await, func() tea.Msg {
		defer l.cancel()
		return loggedInMsg{l, keeper.LogIn(l.ctx, l.server, l)}
	})
}

func (l *login) await() tea.Msg {
	select {
	case visit := <-l.visits:
		return visit
	case <-l.ctx.Done():
		return nil
	}
}

// show is the command that has the browser show a page, which may take a while.
func (l *login) show(address string) tea.Cmd {
	return func() tea.Msg {
		if l.page == nil {
			return visitedMsg{l, errors.New("there is no browser here")}
		}
		return visitedMsg{l, l.page(address)}
	}
}

// Visit implements mcpclient.Browser.
func (l *login) Visit(address string) error { return l.bring(visitMsg{login: l, address: address}) }

// Tell says what is wrong with what was pasted; it may be pasted again.
func (l *login) Tell(wrong error) { _ = l.bring(visitMsg{login: l, wrong: wrong}) }

func (l *login) bring(msg visitMsg) error {
	select {
	case l.visits <- msg:
		return nil
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
}

// Pasted implements mcpclient.Browser.
func (l *login) Pasted(ctx context.Context) (string, error) {
	select {
	case address := <-l.pasted:
		return address, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *login) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case visitMsg:
		if msg.login == l && msg.wrong != nil {
			l.wrong = msg.wrong
			return false, l.await
		}
		if msg.login == l {
			l.address, l.shown = msg.address, nil
			return false, tea.Batch(l.await, l.show(msg.address))
		}
	case visitedMsg:
		if msg.login == l {
			l.shown = msg.err
		}
	case loggedInMsg:
		if msg.login == l {
			if l.failed = msg.err; l.failed == nil {
				return true, reply(flashMsg{"Logged in to " + l.server})
			}
		}
	case tea.PasteMsg:
		l.field.insert(msg.Content)
	case tea.KeyPressMsg:
		return l.key(msg)
	}
	return false, nil
}

func (l *login) key(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch k.String() {
	case "esc":
		l.cancel()
		return true, nil
	case "ctrl+y":
		if l.address != "" {
			return false, copyText(l.ctx, l.address)
		}
	case "enter":
		if l.field.text != "" {
			select {
			case l.pasted <- l.field.text:
			default: // one is on its way already
			}
			l.field.text, l.wrong = "", nil
		}
	default:
		l.field.key(k)
	}
	return false, nil
}

// writing: an address may be pasted.
func (l *login) writing() bool { return true }

func (l *login) view(width, height int, st *look) []string {
	out := []string{titleRow("Log in to "+sanitize.Line(l.server), width, st)}
	wrap := func(text string, style func(...string) string) { out = prose(out, text, width, st, style) }
	hint := "esc gives up"
	switch {
	case l.failed != nil:
		wrap(sentence(l.failed), st.styles.err.Render)
		hint = "esc closes"
	case l.address == "":
		wrap("Asking the server where to log in…", st.styles.dim.Render)
	default:
		lead := "Your browser shows the page. If it does not, open this address:"
		if l.shown != nil {
			lead = "Open this address in a browser:"
		}
		wrap(lead, st.styles.text.Render)
		out = append(out, "")
		for _, line := range markdown.Wrap(sanitize.Line(l.address), max(1, width-2), st.method) { // from the edge on: it is to be copied
			out = append(out, st.styles.link.Render(line))
		}
		out = append(out, "")
		wrap("This ends by itself once you are logged in. A browser on another machine is sent to an address that it cannot reach: paste that here.", st.styles.dim.Render)
		if l.wrong != nil {
			wrap(sentence(l.wrong), st.styles.err.Render)
		}
		mark := st.styles.accent.Render("› ")
		if l.wrong != nil {
			mark = st.styles.err.Render("✗ ")
		}
		out = append(out, "  "+mark+l.field.view(max(1, width-4), st))
		hint = "ctrl+y copies the address · enter sends what was pasted · esc gives up"
		if st.method.StringWidth(hint)+2 > width {
			hint = "ctrl+y copies · enter · esc gives up"
		}
	}
	if most := max(1, height-1); len(out) > most {
		out = append(out[:1], out[len(out)-most+1:]...) // the field comes first
	}
	return withHint(out, hint, width, height, st)
}
