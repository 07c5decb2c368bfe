package ui

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// command is one slash command.
type command struct {
	group   group
	name    string
	args    string // how its arguments are shown, or ""
	help    string
	between bool // it waits for the end of the running turn
	run     func(m *model, arg string) tea.Cmd
}

// commands is the table of slash commands, in the order of /help within a group.
func commands() []command {
	return []command{
		{toRun, "help", "", "show commands and keys", false, help},
		{toChoose, "model", "[name]", "choose the model", true, useModel},
		{toChoose, "tools", "", "list the tools, turn them on or off", false, tools},
		{toChoose, "servers", "", "list the servers, add one, restart it, turn it off, log in", false, showServers},
		{toAsk, "retry", "", "send the last message again", true, retry},
		{toAsk, "continue", "", "continue a stopped answer", true, goOn},
		{toAsk, "queue", "", "list the queued messages to edit, move or remove them", false, showQueue},
		{toTalk, "clear", "", "start a new conversation", true, clearAll},
		{toTalk, "resume", "[text]", "list the saved conversations, open one", true, resume},
		{toTalk, "tree", "", "list the branches of the conversation, go to one", true, tree},
		{toTalk, "compact", "", "summarise older messages to free context", true, compact},
		{toTalk, "context", "", "show what fills the context window, and change it", false, showContext},
		{toRead, "copy", "[code [N]|tape]", "copy the answer, the Nth last block of code, or the tape", false, copyAnswer},
		{toRead, "find", "[text]", "find words in the conversation; then n and N", false, find},
		{toRead, "pager", "", "open the whole conversation in the pager", false, pager},
		{toChoose, "think", "auto|on|off | low|medium|high", "set whether or how much the model thinks", true, think},
		{toRun, "theme", "[name]", "choose the colours", false, chooseTheme},
		{toTalk, "system", "[text|-]", "show, set or remove (-) your instructions", true, system},
		{toRun, "quit", "", "quit aloud", false, quit},
	}
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// typed returns the command as you type it: "/model [name]".
func (c command) typed() string { return strings.TrimSpace("/" + c.name + " " + c.args) }

// offered returns the commands for the composer.
func offered() []composer.Command {
	var all []composer.Command
	for _, c := range commands() {
		all = append(all, composer.Command{Name: c.name, Args: c.args, Help: c.help,
			Whole: slices.Contains([]string{"clear", "compact", "retry"}, c.name)})
	}
	return all
}

// asks reports whether the command asks the model, so that it waits for one, as questions do.
func (c command) asks() bool {
	return slices.Contains([]string{"retry", "continue", "compact"}, c.name)
}

// takes reports whether the command takes these words. args has them, or a placeholder for one name or for any text.
func (c command) takes(words string) bool {
	first, more, _ := strings.Cut(words, " ")
	known := strings.FieldsFunc(c.args, func(r rune) bool { return !unicode.IsLetter(r) })
	return words == "" || slices.Contains(known, "text") || slices.Contains(known, first) ||
		slices.Contains(known, "name") && more == ""
}

// findCommand returns a command that takes these words, or the reason why it cannot run.
func findCommand(name, words string) (c command, doubt string) {
	all := commands()
	at := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	switch {
	case at < 0:
		return command{}, noCommand(name)
	case all[at].takes(words):
		return all[at], ""
	case all[at].args == "":
		return command{}, fmt.Sprintf("/%s takes no words", name)
	}
	return command{}, fmt.Sprintf("Usage: /%s %s", name, all[at].args)
}

// askAgain returns a command that cannot run to the composer, and says why, or sends it if it is the name of a folder.
func askAgain(in attach.Input, name, doubt string) tea.Cmd {
	return func() tea.Msg {
		if attach.NamesFolder(name) {
			in.Message = true
			return askMsg{question{input: in}}
		}
		return tea.BatchMsg{screen.Reply(doubted(in)), screen.ShowFlash(doubt + " · enter sends it")}
	}
}

// noCommand returns the error text for an unknown command or prompt.
func noCommand(name string, prompts ...mcpclient.Prompt) string {
	names := commandNames()
	for _, p := range prompts {
		names = append(names, sanitize.Line(strings.TrimPrefix(attach.Name(p), "/")))
	}
	meant := attach.MeantCommand(name, names)
	return fmt.Sprintf("Unknown command /%s: %s", name, cmp.Or(meant, "type / to list all commands"))
}

func quit(*model, string) tea.Cmd { return tea.Quit }
func help(m *model, _ string) tea.Cmd {
	return openHelp(&m.dialogs, m.keys, tea.KeyPressMsg{}, m.prompt)
}
func useModel(m *model, name string) tea.Cmd { return m.models.named(name, &m.dialogs) }
func tools(m *model, _ string) tea.Cmd       { return openTools(&m.dialogs, m.options, m.talk.room(), "") }
func showContext(m *model, _ string) tea.Cmd {
	return openContext(&m.dialogs, m.options, &m.talk, &m.models, m.transcript, &m.footer.fill)
}
func showServers(m *model, _ string) tea.Cmd {
	return openServers(&m.dialogs, m.options, m.footer.servers)
}
func showQueue(m *model, _ string) tea.Cmd { return m.talk.queue.open(&m.dialogs, m.prompt) }
func chooseTheme(m *model, name string) tea.Cmd {
	return changeTheme(&m.dialogs, m.options, &m.look, name)
}
func copyAnswer(m *model, part string) tea.Cmd { return copyPart(m.transcript, part) }
func find(m *model, words string) tea.Cmd {
	return m.find.begin(words, m.transcript, m.prompt, m.look.Styles)
}
func think(m *model, setting string) tea.Cmd {
	return setThink(m.talk.chat, m.models.info, setting)
}
func system(m *model, instructions string) tea.Cmd { return m.talk.setSystem(instructions) }

// pager shows the whole conversation in the pager.
func pager(m *model, _ string) tea.Cmd {
	if m.transcript.Empty() {
		return screen.ShowFlash("Nothing to show yet")
	}
	all := m.transcript.Unfolded()
	return screen.Pager(func(w io.Writer) error { return all.Dump(w, 0) })
}

func retry(m *model, _ string) tea.Cmd {
	question, err := m.talk.chat.TakeBack()
	if question == nil {
		return screen.ShowFlash("No message to send again")
	}
	m.transcript.TakeBack()
	warn(m.transcript, err)
	return m.send(question...)
}

// warn shows an error in the transcript, unless it is nil.
func warn(t *transcript.Transcript, err error) {
	if err != nil {
		t.Notice(transcript.Warn, dialog.Sentence(err))
	}
}

func goOn(m *model, _ string) tea.Cmd {
	switch {
	case m.occupied():
		return nil
	case !m.talk.stopped():
		return screen.ShowFlash("Nothing to continue")
	}
	return m.begin(m.talk.chat.Resume)
}

func clearAll(m *model, _ string) tea.Cmd {
	err := m.talk.chat.Clear()
	m.talk.show(m.transcript, &m.status, &m.footer)
	warn(m.transcript, err)
	return nil
}

// setThink runs /think.
func setThink(chat *live.Chat, info provider.Info, arg string) tea.Cmd {
	const modes = "auto|on|off"
	switch think := provider.Think(arg); {
	case think.IsLevel() && info.Refuses(think) != "":
		return screen.ShowFlash(info.Name + " has no thinking levels · /think " + modes)
	case think.IsLevel(), slices.Contains(strings.Split(modes, "|"), arg):
		chat.Think(think)
		return screen.ShowFlash("Thinking: " + arg)
	}
	now := cmp.Or(chat.Settings().Think, provider.ThinkAuto)
	return screen.ShowFlash(fmt.Sprintf("Usage: /think %s | low|medium|high (now: %s)", modes, now))
}

// setSystem runs /system.
func (t *talk) setSystem(arg string) tea.Cmd {
	switch arg {
	case "":
		text := cmp.Or(t.chat.Settings().System, "No instructions set · /system TEXT to set them")
		return screen.Reply(noticeMsg{transcript.Info, text})
	case "-":
		arg = ""
	}
	t.chat.Instruct(arg)
	return screen.ShowFlash("Instructions changed, from your next message on")
}

// compact runs /compact: a summary replaces older messages in the context. You can still read them. This is not a turn:
// one that was stopped before can still be continued.
func compact(m *model, _ string) tea.Cmd {
	if m.talk.chat.Conversation().Len() == 0 {
		return screen.ShowFlash("Nothing to compact yet")
	}
	m.talk.summary = true
	return m.begin(m.talk.chat.Compact)
}

// compacted adds a notice if compacting failed. Otherwise the summary is enough.
func compacted(t *transcript.Transcript, ev event.Ended) {
	switch ev.Result.Stop.Reason {
	case event.Done:
		return
	case event.Cancelled:
		t.Notice(transcript.Info, "Compacting stopped. The conversation is unchanged.")
		return
	}
	err := cmp.Or(ev.Err, errors.New(cmp.Or(ev.Result.Stop.Detail, "the turn failed")))
	t.Notice(transcript.Error, "Compacting failed. "+dialog.Sentence(err))
}
