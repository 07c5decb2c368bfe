package ui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Here is what the welcome shows about the current folder. Names are not sanitised.
type Here struct {
	Folder  string       // "~/notes"
	Branch  string       // of its repository; "" for none
	Files   []string     // files in it that a question may be about
	Earlier session.Info // the last conversation; zero for none
}

// hereMsg has what was found about the current folder.
type hereMsg struct{ here Here }

// lookAround returns a command that finds out about the current folder, because Update must not read files.
func lookAround(find func() Here) tea.Cmd {
	if find == nil {
		return nil
	}
	return screen.Go(func(_ context.Context, send func(tea.Msg)) { send(hereMsg{find()}) })
}

// welcome is the transcript of an empty conversation: where you are, and questions to begin with.
type welcome struct {
	version  string
	demo     []string // see Options
	key      string   // types the next question; "" for none
	noTools  bool
	here     Here
	at       int    // of the question that tab types next
	inserted string // the question that tab typed last
}

// shownQuestions is the number of questions in the welcome, unless there is room for more. With tab you see all.
const shownQuestions = 3

// otherRows is the number of rows of the welcome besides the questions and servers with trouble.
const otherRows = 9

// questions returns questions that fit the tools and the folder.
func (w *welcome) questions(servers []mcpclient.ServerStatus) []string {
	if len(w.demo) > 0 {
		return w.demo
	}
	ready := map[string]bool{}
	var others []string
	for _, s := range servers {
		if s.State != mcpclient.ServerReady || s.Tools == 0 {
			continue
		}
		if ready[s.Name] = true; s.Name != "files" && s.Name != "clock" && s.Name != "fetch" {
			others = append(others, "what can you do with "+sanitize.Line(s.Name)+"?")
		}
	}
	var all []string
	if ready["files"] {
		for _, file := range w.here.Files {
			all = append(all, "summarise "+sanitize.Line(file))
		}
		all = append(all, "what is in this folder?")
	}
	all = append(all, others...)
	if ready["clock"] {
		all = append(all, "what time is it in Tokyo?")
	}
	all = append(all, "explain how HTTPS works", "write a haiku about waiting", "plan a quiet weekend")
	return all[:shownQuestions]
}

// suggest types the next question into an empty draft, or in place of the one that it typed before, if act is the
// completion. Those of the demo go on after the first answer, while no turn runs. It reports whether it did.
func (w *welcome) suggest(
	act action, isNew, busy bool, prompt *composer.Composer, servers []mcpclient.ServerStatus,
) bool {
	if act != doComplete || busy || !isNew && len(w.demo) == 0 ||
		prompt.Listed() > 0 || !prompt.Empty() && prompt.Value() != w.inserted {
		return false
	}
	all := w.questions(servers)
	w.inserted = all[w.at%len(all)]
	w.at++
	prompt.Set(attach.Typed(w.inserted))
	return true
}

// view draws the rows that fit. The first are the most important ones.
func (w *welcome) view(
	model string, servers []mcpclient.ServerStatus, width, height int, st *look.Look,
) []string {
	var rows []string
	add := func(text string) { rows = append(rows, st.Clip("  "+text, max(1, width-1))) }
	add(st.Heading.Render("aloud") + " " + st.Dim.Render(w.version))
	if width < 24 || height < 5 {
		return rows[:min(len(rows), height)]
	}
	if add(st.Dim.Render("A chat that says what it is doing.")); len(w.demo) > 0 {
		rows = rows[:1]
		add(st.Warn.Render("This is the demo, without a model.") +
			st.Dim.Render(" Simple rules answer, in a made-up shop."))
	}
	add("")
	fact := func(name, text string) { // its row is there before its text, so that nothing moves
		add(st.Dim.Render(fmt.Sprintf("%-8s", name)) + st.Dim.Render(cmp.Or(text, "…")))
	}
	if len(w.demo) == 0 {
		fact("model", model)
	}
	fact("folder", look.Dotted(sanitize.Line(w.here.Folder), sanitize.Line(w.here.Branch)))
	tools := toolCounts(servers)
	if w.noTools {
		tools = "off"
	}
	fact("tools", tools)
	add("")
	all := w.questions(servers)
	for i, question := range all[:min(len(all), max(shownQuestions, height-otherRows))] {
		label := ""
		if i == 0 {
			label = "try"
		}
		add(st.Dim.Render(fmt.Sprintf("%-8s", label)) + sanitize.Line(question))
	}
	if w.key != "" {
		add(strings.Repeat(" ", 8) + st.Dim.Render(w.key+" types the next one"))
	}
	add("")
	if earlier := w.earlier(time.Now()); earlier != "" {
		fact("before", earlier)
	}
	for _, s := range servers {
		if s.State == mcpclient.ServerFailed || s.State == mcpclient.ServerNeedsLogin {
			add(st.Warn.Render("! "+sanitize.Line(s.Name)) + " " + st.Dim.Render(sanitize.Line(s.Detail)+" · /servers"))
		}
	}
	return rows[:min(len(rows), height)]
}

// toolCounts returns "files 5 · clock 2", with a mark in place of a number for a server that starts, or "none". It
// returns "" before there are servers.
func toolCounts(servers []mcpclient.ServerStatus) string {
	var counts []string
	for _, s := range servers {
		switch name := sanitize.Line(s.Name); s.State {
		case mcpclient.ServerReady:
			counts = append(counts, fmt.Sprintf("%s %d", name, s.Tools))
		case mcpclient.ServerStarting:
			counts = append(counts, name+" …")
		}
	}
	if len(counts) == 0 && len(servers) > 0 {
		return "none"
	}
	return look.Dotted(counts...)
}

// earlier returns the first words of the last conversation, its age and the command that opens it.
func (w *welcome) earlier(now time.Time) string {
	if w.here.Earlier.ID == "" {
		return ""
	}
	const words = 40
	title := sanitize.Clip(sanitize.Line(w.here.Earlier.Title), words)
	return look.Dotted(`"`+title+`"`, age(now.Sub(w.here.Earlier.Changed)), "/resume")
}

// age returns how long ago something was: "now", "5 minutes ago", "3 hours ago", "2 days ago".
func age(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return quantity.Plural(int(d/time.Minute), "minute") + " ago"
	case d < day:
		return quantity.Plural(int(d/time.Hour), "hour") + " ago"
	default:
		return quantity.Plural(int(d/day), "day") + " ago"
	}
}
