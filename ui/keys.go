package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/suggest"
)

// action is the name of something that a key does. [keys] in the configuration file maps actions to keys. The name of a
// slash command is an action too.
type action string

const (
	doSend       action = "send"
	doNewline    action = "newline"
	doEarlier    action = "earlier"
	doLater      action = "later"
	doComplete   action = "complete"
	doSearch     action = "search"
	doUndo       action = "undo"
	doRedo       action = "redo"
	doYank       action = "yank"
	doYankPop    action = "yank_pop"
	doEditor     action = "editor"
	doPasteImage action = "paste_image"
	doStop       action = "stop"
	doEditQueued action = "edit_queued"
	doPageUp     action = "page_up"
	doPageDown   action = "page_down"
	doTop        action = "top"
	doBottom     action = "bottom"
	doDetails    action = "details"
	doPrevStep   action = "previous_step"
	doNextStep   action = "next_step"
	doCopyCode   action = "copy_code"
	doFind       action = "find"
	doPrevTurn   action = "previous_turn"
	doNextTurn   action = "next_turn"
	doRedraw     action = "redraw"
	doSuspend    action = "suspend"
	doCancel     action = "cancel"
	doHelp       action = "help"
	doNothing    action = "nothing" // of a chord without an action
)

// group is a part of the help.
type group int

const (
	toAsk group = iota
	toRead
	toWrite
	toChoose
	toTalk
	toRun
)

// groupTitles are in the order in which you need them.
var groupTitles = [...]string{
	toAsk: "Ask and stop", toRead: "Read", toWrite: "Write", toChoose: "Models and tools", toTalk: "Conversation",
	toRun: "Program",
}

// binding is a row of the table of keys.
type binding struct {
	group  group
	action action
	keys   string // by default, separated by spaces, see defaults
	always bool   // also while a dialog is open
	help   string
}

// bindings is the table of keys, in the order of /help within a group. A key that types or edits text has its action
// only on an empty line, see [composer.Composer.Edits].
var bindings = []binding{
	{toAsk, doSend, "enter", false, "send, or queue during an answer; after a limit: continue"},
	{toWrite, doNewline, "ctrl+j alt+enter shift+enter", false, "new line; also enter after a backslash"},
	{toWrite, doEarlier, "up ctrl+p", false, "earlier messages; first the last queued one"},
	{toWrite, doLater, "down ctrl+n", false, "later messages"},
	{toWrite, doSearch, "ctrl+r", false, "search earlier messages"},
	{toWrite, doComplete, "tab", false,
		"complete a name, or type a first question; with a queue: send its first message with the next request"},
	{toWrite, doUndo, "ctrl+_ ctrl+/ ctrl+shift+-", false, "undo the last change"},
	{toWrite, doRedo, "ctrl+^ ctrl+6 alt+/", false, "redo what was undone"},
	{toWrite, doYank, "ctrl+y", false, "insert the text that ctrl+k, ctrl+u or ctrl+w removed"},
	{toWrite, doYankPop, "alt+y", false, "after that: the text that was removed before it instead"},
	{toWrite, doEditor, "ctrl+x ctrl+e ctrl+g", false, "edit the draft in VISUAL or EDITOR"},
	{toWrite, doPasteImage, "ctrl+v alt+v", false, "paste an image; image files can be dropped here, too"},
	{toAsk, doStop, "esc", false, "stop the answer, which is kept; twice on an empty line: earlier questions"},
	{toAsk, doEditQueued, "backspace", false, "edit the last queued message"},
	{toRead, doPageUp, "pgup", false, "scroll up; also the mouse wheel"},
	{toRead, doPageDown, "pgdown", false, "scroll down"},
	{toRead, doTop, "ctrl+home home", false, "go to the beginning"},
	{toRead, doBottom, "ctrl+end end", false, "go to the end"},
	{toRead, doPrevTurn, "alt+up ctrl+up", false, "previous question; also up while you find"},
	{toRead, doNextTurn, "alt+down ctrl+down", false, "next question"},
	{toRead, doFind, "ctrl+s", false, "find words in the conversation; then n and N"},
	{toRead, doDetails, "ctrl+o", true, "unfold or fold thinking, tool calls and long messages"},
	{toRead, doPrevStep, "left", false, "previous step of a receipt"},
	{toRead, doNextStep, "right", false, "next step of a receipt"},
	{toRead, "pager", "alt+o", true, "open the whole conversation in the pager"},
	{toRead, doCopyCode, "alt+c", false, "copy the last block of code"},
	{toRun, doRedraw, "ctrl+l", true, "redraw the screen"},
	{toRun, doSuspend, "ctrl+z", true, "suspend; fg in the shell resumes"},
	{toRun, doHelp, "?", false, "show commands and keys; while an answer is running: why it takes long"},
	{toAsk, doCancel, "ctrl+c", true, "clear the draft (up brings it back), or stop the answer; twice to quit"},
	{toRun, "quit", "ctrl+d", false, "quit"},
}

// lineNote explains the table.
const lineNote = "A key that types or edits text, such as ? or home, does this on an empty line only."

// fixed are the keys that their actions always keep, so that every configuration can be used.
var fixed = map[string]string{"send": "enter", "stop": "esc", "cancel": "ctrl+c"}

// Bind returns the keys of all actions: those in changes, and the defaults for the other actions. A key in changes is
// no longer the default of another action. Bind calls wrong for each mistake in changes, with the index of the key, or
// -1 for a mistake in the name of the action.
func Bind(changes map[string][]string, wrong func(action string, key int, text string)) map[string][]string {
	bound, owners := map[string][]string{}, map[string]string{}
	for name, key := range fixed {
		owners[key] = name
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if names := actionNames(); !slices.Contains(names, name) {
			wrong(name, -1, fmt.Sprintf("unknown key %q in [keys]%s", name, meant(suggest.Nearest(name, names))))
			continue
		}
		bound[name] = nil
		if key, ok := fixed[name]; ok {
			bound[name] = []string{key}
		}
		for i, text := range changes[name] {
			key, err := readKey(text)
			switch owner := owners[key]; {
			case err != nil:
				wrong(name, i, fmt.Sprintf("%q has %v", name, err))
			case owner == name: // it has the key already
			case owner != "" && fixed[owner] == key:
				const text = "%q cannot have the key %q, which is always for %q. Use another key"
				wrong(name, i, fmt.Sprintf(text, name, key, owner))
			case owner != "":
				wrong(name, i, fmt.Sprintf("%q and %q have the same key %q. Change one of them", owner, name, key))
			default:
				owners[key] = name
				bound[name] = append(bound[name], key)
			}
		}
	}
	for _, b := range bindings {
		name := string(b.action)
		if _, changed := bound[name]; changed {
			continue
		}
		bound[name] = slices.DeleteFunc(b.defaults(), func(key string) bool {
			owner := owners[key]
			return owner != "" && owner != name
		})
	}
	return bound
}

// keymap has the keys of all actions, by the name of the action.
type keymap map[string][]string

// actionNames returns the names of all actions.
func actionNames() []string {
	names := commandNames()
	for _, b := range bindings {
		names = append(names, string(b.action))
	}
	return names
}

// action returns the action of a key, or "".
func (m keymap) action(key string) action {
	for name, keys := range m {
		if slices.Contains(keys, key) {
			return action(name)
		}
	}
	return ""
}

// of returns the first key of an action and then what it does, or "" if the action has no key.
func (m keymap) of(a action, does string) string {
	if keys := m[string(a)]; len(keys) > 0 {
		return keys[0] + does
	}
	return ""
}

// help returns the keys and commands with what they do, and the title of each group before its first pair. A command
// that has a key of its own shares its row.
func (m keymap) help() [][2]string {
	var groups [len(groupTitles)][][2]string
	add := func(g group, label []string, text string) {
		if len(label) > 0 && groups[g] == nil {
			groups[g] = [][2]string{{groupTitles[g]}}
		}
		if len(label) > 0 {
			groups[g] = append(groups[g], [2]string{strings.Join(label, ", "), text})
		}
	}
	left := commands()
	for _, b := range bindings {
		label := slices.Clone(m[string(b.action)])
		if i := slices.IndexFunc(left, func(c command) bool { return action(c.name) == b.action }); i >= 0 {
			label = append(label, left[i].typed())
			left = slices.Delete(left, i, i+1)
		}
		add(b.group, label, b.help)
	}
	for _, c := range left {
		add(c.group, append(slices.Clone(m[c.name]), c.typed()), c.help)
	}
	return slices.Concat(groups[:]...)
}

// always reports whether an action is possible while a dialog is open.
func (a action) always() bool {
	return slices.ContainsFunc(bindings, func(b binding) bool { return b.action == a && b.always })
}
