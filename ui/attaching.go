package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// attaching is what the draft attaches. It lists the files that complete a mention, again for each mention because
// files come and go, and measures those that are mentioned.
type attaching struct {
	reader attach.Reader // of the last moment without a turn

	inMention bool
	hidden    bool // the list has hidden files
	lists     int  // number of the newest list
	stopList  func()

	mentions    []attach.Mention // measured, or being measured
	stopMeasure func()
	sizes       sizesMsg
}

type (
	// filesMsg has more names of files for a list.
	filesMsg struct {
		list  int
		first bool
		names []string
	}
	// sizesMsg has what the draft attaches, or why it cannot.
	sizesMsg struct {
		mentions []attach.Mention
		files    []provider.Attachment
		limits   provider.AttachLimits
		err      error
	}
)

// follow must be called after each message.
func (a *attaching) follow(msg tea.Msg, prompt *composer.Composer, chat *live.Chat, busy bool) tea.Cmd {
	switch msg := msg.(type) {
	case filesMsg:
		if msg.list == a.lists {
			prompt.AddFiles(msg.names, msg.first)
		}
	case sizesMsg:
		if slices.Equal(msg.mentions, a.mentions) {
			a.sizes = msg
		}
	}
	if !busy {
		a.reader = chat.Reader()
	}
	if a.reader.Files == nil {
		return nil
	}
	return tea.Batch(a.list(prompt.Word()), a.measure(prompt.Mentions()))
}

// list starts to list the files at the beginning of a mention, and once more with hidden ones if it begins with a dot.
func (a *attaching) list(word string) tea.Cmd {
	was, hidden := a.inMention, strings.HasPrefix(word, "@.")
	if a.inMention = strings.HasPrefix(word, "@"); !a.inMention || was && (!hidden || a.hidden) {
		return nil
	}
	a.stopList()
	a.lists++
	a.hidden = hidden
	const pause = 50 * time.Millisecond
	msg, files := filesMsg{list: a.lists, first: true}, a.reader.Files
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		sent := time.Now()
		for name := range files.Names(ctx, hidden) {
			msg.names = append(msg.names, name)
			if time.Since(sent) > pause {
				send(msg)
				msg, sent = filesMsg{list: msg.list}, time.Now()
			}
		}
		send(msg)
	})
	a.stopList = stop
	return begin
}

// measure starts to measure what is mentioned if that has changed. The old sizes are shown meanwhile.
func (a *attaching) measure(mentions []attach.Mention) tea.Cmd {
	if slices.Equal(mentions, a.mentions) {
		return nil
	}
	a.stopMeasure()
	if a.mentions = mentions; len(mentions) == 0 {
		a.sizes = sizesMsg{}
		return nil
	}
	reader := a.reader
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		m, err := reader.Measure(ctx, mentions)
		if limits := reader.AttachLimits(ctx); ctx.Err() == nil {
			send(sizesMsg{mentions, m.Attached, limits, err})
		}
	})
	a.stopMeasure = stop
	return begin
}

// rows draws the files with their sizes, and how much more fits into the context. If they cannot be sent, the rows say
// why.
func (a *attaching) rows(fill provider.Fill, width int, st *look.Look) []string {
	if a.sizes.err != nil {
		return st.Prose(nil, "! "+dialog.Sentence(a.sizes.err), width, st.Warn.Render)
	}
	if len(a.sizes.files) == 0 {
		return nil
	}
	var names []string
	tokens := 0
	for _, f := range a.sizes.files {
		size, name := f.Tokens(), st.Middle(sanitize.Line(f.Name()), max(12, width/3))
		if f.Text == "" && f.Images == 0 {
			names = append(names, name+" asks first")
			continue
		}
		tokens += size
		names = append(names, name+" about "+quantity.Count(size)+" tok")
	}
	more := max(0, min(a.sizes.limits.Room, a.sizes.limits.Window-fill.Tokens)-tokens)
	room := "room for " + quantity.Count(more) + " more"
	all := quantity.Plural(len(names), "file") + " about " + quantity.Count(tokens) + " tok"
	text := st.Longest(width-4, look.Dotted(append(names, room)...), look.Dotted(all, room), all)
	return []string{"  " + st.Dim.Render(st.Clip(text, width-4))}
}
