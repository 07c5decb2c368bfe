package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// login is the dialog in which a person logs in to a server: it shows the address of the page, opens it when they have seen whose it is, and
// takes the one that the browser was sent to where that cannot reach us.
type login struct {
	ctx    context.Context
	cancel context.CancelFunc
	server string
	page   func(address string) error // nil: there is no browser

	visits chan visitMsg // of Visit, on its way into the dialog
	pasted chan string   // what was pasted, on its way to the login
	visit  desk.Visit    // the page; zero: it is not known yet
	secret string        // the login server that gets the client's credentials for the first time; "": none does
	opened bool          // the browser shows the page
	shown  error         // why it does not
	wrong  error         // what was pasted last, when that was not it
	failed error         // how it ended, when it did not go well
	field  input.Line
}

// logInMsg asks to log in to a server.
type logInMsg struct{ server string }

// visitMsg brings the address of the page, or what is wrong with what was pasted.
type visitMsg struct {
	login  *login
	visit  desk.Visit
	secret string
	wrong  error
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

// logIn shows the dialog and begins.
func (m *model) logIn(server string) tea.Cmd {
	l := newLogin(m.ctx, server, m.options.OpenPage)
	m.dialogs.open(l)
	return l.begin(m.options.Servers)
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
func (l *login) show() tea.Msg { return visitedMsg{l, l.page(l.visit.Address)} }

// Visit implements mcpclient.Browser.
func (l *login) Visit(address, secretTo string) error {
	visit, err := desk.ReadVisit(address)
	if err != nil {
		return fmt.Errorf("the page of the login cannot be visited: %w", err)
	}
	issuer, err := desk.ReadVisit(secretTo)
	if err != nil && secretTo != "" {
		return fmt.Errorf("the login server cannot be shown: %w", err)
	}
	return l.bring(visitMsg{login: l, visit: visit, secret: sanitize.Clip(issuer.Address, 200)})
}

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
			l.visit, l.secret, l.opened, l.shown = msg.visit, msg.secret, false, nil
			return false, l.await
		}
	case visitedMsg:
		if msg.login == l {
			l.opened, l.shown = msg.err == nil, msg.err
		}
	case loggedInMsg:
		if msg.login == l {
			if l.failed = msg.err; l.failed == nil {
				return true, reply(screen.Flash{Text: "Logged in to " + l.server})
			}
		}
	case tea.PasteMsg:
		return false, pasted(l.field.Insert(msg.Content))
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
		if l.visit.Address != "" {
			return false, screen.Copy(l.visit.Address)
		}
	case "enter":
		switch {
		case l.failed != nil:
			return true, reply(meantMsg{logInMsg{l.server}})
		case l.field.Text == "" && l.visit.Address != "" && l.page != nil:
			return false, l.show
		case l.field.Text != "":
			select {
			case <-l.pasted: // nobody has looked at it yet, and it is not what is meant any more
			default:
			}
			l.pasted <- l.field.Text
			l.field.Text, l.wrong = "", nil
		}
	default:
		l.field.Key(k)
	}
	return false, nil
}

// writing: an address may be pasted.
func (l *login) writing() bool { return true }

func (l *login) waits() string {
	return "The login to " + cutMiddle(sanitize.Line(l.server), 40) + " goes on"
}

func (l *login) view(width, height int, st *look.Look) []string {
	out := []string{titleRow("Log in to "+sanitize.Line(l.server), width, st)}
	switch {
	case l.failed != nil:
		return withHint(prose(out, sentence(l.failed), width, st, st.Err.Render), "enter tries again · esc closes", width, height, st)
	case l.visit.Address == "":
		return withHint(prose(out, "Asking the server where to log in…", width, st, st.Dim.Render), "esc gives up", width, height, st)
	}
	out = prose(out, "The page belongs to "+l.visit.Host+".", width, st, st.Text.Render)
	if l.secret != "" {
		out = prose(out, "The credentials of your OAuth client will go to "+l.secret+", and from then on to no other login server.", width, st, st.Text.Render)
	}
	foot := []string{}
	if l.wrong != nil {
		foot = prose(foot, sentence(l.wrong), width, st, st.Err.Render)
	}
	foot = append(foot, "  "+st.Accent.Render("› ")+l.field.View(max(1, width-4), st))
	// Whose page it is and the field come first: ctrl+y copies the address.
	between := l.between(width, st)
	between = between[:max(0, min(len(between), height-1-len(out)-len(foot)))]
	return withHint(append(append(out, between...), foot...), l.help(width, st), width, height, st)
}

// between draws the address, and what there is to say about it.
func (l *login) between(width int, st *look.Look) []string {
	words := "It opens when you press enter."
	switch {
	case l.page == nil:
		words = "Open it in a browser."
	case l.shown != nil:
		words = sentence(l.shown) + " Open it by hand."
	case l.opened:
		words = "Your browser shows it."
	}
	out := prose(nil, words, width, st, st.Text.Render)
	out = prose(out, "This ends by itself once you are logged in. A browser on another machine is sent to an address that it cannot reach: paste that here.",
		width, st, st.Dim.Render)
	out = append(append(out, ""), visitRows(l.visit, "", width, st)...) // from the edge on: it is to be copied
	return append(out, "")
}

func (l *login) help(width int, st *look.Look) string {
	help, short := "enter opens the page · ctrl+y copies its address · esc gives up", "enter opens it · ctrl+y copies · esc"
	switch {
	case l.field.Text != "":
		help, short = "enter sends what was pasted · esc gives up", "enter sends it · esc gives up"
	case l.page == nil:
		help, short = "ctrl+y copies the address · esc gives up", "ctrl+y copies · esc gives up"
	}
	if st.Method.StringWidth(help)+2 > width {
		return short
	}
	return help
}
