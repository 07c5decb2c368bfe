package dialog

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// login logs in to a server: it shows the address of the page, opens it when you press enter, and accepts the address
// that the browser was redirected to, for a browser on another machine.
type login struct {
	stop   func() // stops the login
	server string
	page   func(address string) error // nil if there is no browser

	pasted chan string  // addresses that you pasted
	visit  elicit.Visit // the page; zero if not known yet
	secret string       // the login server that gets the client's credentials for the first time, or ""
	note   string       // whether the browser shows the page
	wrong  error        // the error of the address that you pasted last
	failed error        // why the login failed
	field  line
}

// LogIn asks to log in to a server.
type LogIn struct{ Server string }

// NewLogin returns the dialog of a login and the command that starts it. open opens your browser, and may be nil.
func NewLogin(control ServerControl, server string, open func(string) error) (Dialog, tea.Cmd) {
	l := &login{server: server, page: open, pasted: make(chan string, 1)}
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		err := control.LogIn(ctx, server, browser{l, send})
		send(resultMsg{to: l, apply: func() (bool, tea.Cmd) {
			if l.failed = err; err != nil {
				return false, nil
			}
			return true, screen.ShowFlash("Logged in to " + server)
		}})
	})
	l.stop = stop
	return l, begin
}

// show returns a command that opens the page in your browser, which may take a while.
func (l *login) show() tea.Msg {
	note := "Opened in your browser."
	if err := l.page(l.visit.Address); err != nil {
		note = Sentence(err) + " Open the address yourself."
	}
	return result(l, func() { l.note = note })
}

// browser implements mcpclient.Browser for the goroutine of the login, which must change the dialog by messages.
type browser struct {
	*login
	send func(tea.Msg)
}

func (b browser) change(change func()) { b.send(result(b.login, change)) }

// Visit shows the address of the login page.
func (b browser) Visit(address, secretTo string) error {
	visit, err := elicit.ReadVisit(address)
	if err != nil {
		return fmt.Errorf("cannot open the login page: %w", err)
	}
	issuer, err := elicit.ReadVisit(secretTo)
	if err != nil && secretTo != "" {
		return fmt.Errorf("cannot show the login server: %w", err)
	}
	note := "Press enter to open it."
	if b.page == nil {
		note = "Open it in a browser."
	}
	b.change(func() { b.visit, b.secret, b.note = visit, sanitize.Clip(issuer.Address, 200), note })
	return nil
}

// Tell shows why a pasted address was rejected. You may paste again.
func (b browser) Tell(wrong error) { b.change(func() { b.wrong = wrong }) }

// Pasted waits for an address that you paste.
func (b browser) Pasted(ctx context.Context) (string, error) {
	select {
	case address := <-b.pasted:
		return address, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *login) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch keyOf(msg) {
	case "esc", "ctrl+c":
		l.stop()
		return true, nil
	case "ctrl+y":
		if l.visit.Address != "" {
			return false, screen.Copy(l.visit.Address)
		}
	case "enter":
		switch {
		case l.failed != nil:
			return true, screen.Reply(ByKey{LogIn{l.server}})
		case l.field.Text == "" && l.visit.Address != "" && l.page != nil:
			return false, l.show
		case l.field.Text != "":
			select {
			case <-l.pasted: // not read yet, so the new one replaces it
			default:
			}
			l.pasted <- l.field.Text
			l.field.Text, l.wrong = "", nil
		}
	default:
		return false, l.field.Update(msg)
	}
	return false, nil
}

// Traits implements Dialog.
func (l *login) Traits() Traits {
	return Traits{Text: true, Notice: "Login to " + look.Short(l.server) + " in progress"}
}

func (l *login) View(width, height int, st *look.Look) []string {
	out := []string{st.Title("Log in to "+sanitize.Line(l.server), "", width)}
	switch {
	case l.failed != nil:
		out = st.Prose(out, Sentence(l.failed), width, st.Err.Render)
		return st.WithHint(out, "enter to try again · esc to close", width, height)
	case l.visit.Address == "":
		out = st.Prose(out, "Asking the server where to log in…", width, st.Dim.Render)
		return st.WithHint(out, "esc to cancel", width, height)
	}
	out = st.Prose(out, "The login page is on "+l.visit.Host+".", width, st.Text.Render)
	if l.secret != "" {
		out = st.Prose(out, "Your OAuth client's credentials will be sent to "+l.secret+
			", and later to no other login server.", width, st.Text.Render)
	}
	foot := []string{}
	if l.wrong != nil {
		foot = st.Prose(foot, Sentence(l.wrong), width, st.Err.Render)
	}
	foot = append(foot, "  "+st.Accent.Render("› ")+l.field.View(max(1, width-4), st))
	between := st.Prose(nil, l.note, width, st.Text.Render)
	between = st.Prose(between, "This closes when you are logged in. If your browser runs on another machine "+
		"and shows an address that it cannot open, paste that address here.", width, st.Dim.Render)
	between = append(append(between, ""), visitRows(l.visit, "", width, st)...) // not indented, so that it can be copied
	between = append(between, "")
	// The host of the page and the field come first: ctrl+y copies the address.
	between = between[:max(0, min(len(between), height-1-len(out)-len(foot)))]
	help := st.Longest(width-2,
		"enter to continue · ctrl+y to copy the address · esc to cancel", "enter · ctrl+y to copy · esc to cancel")
	return st.WithHint(slices.Concat(out, between, foot), help, width, height)
}
