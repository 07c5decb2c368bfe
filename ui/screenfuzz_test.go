package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// FuzzScreen plays stories of keys, pastes, resizes, reports of the terminal and events of turns, and checks every
// frame. A byte of a story chooses from a list: a letter by its place in the alphabet, so that stories can be written
// down. New elements go to the end of a list, so that old stories keep their meaning.
func FuzzScreen(f *testing.F) {
	f.Setenv("WSL_DISTRO_NAME", "none") // copying leaves your clipboard alone
	for _, story := range screenStories {
		f.Add([]byte(story))
	}
	f.Fuzz(func(t *testing.T, story []byte) {
		if len(story) <= 500 {
			play(t, story)
		}
	})
}

// play plays a story.
func play(t *testing.T, story []byte) {
	s := &script{left: story}
	size := pick(s, sizes)
	drive(t, size[0], size[1], s.options(), func(d *driver) {
		for len(s.left) > 0 && !s.quit {
			pick(s, steps)(s, d)
			s.check(d)
			d.watch(pick(s, times), func(msg tea.Msg) {
				_, quits := msg.(tea.QuitMsg)
				s.quit = s.quit || quits
				s.check(d)
			})
		}
		d.press("pgup")
		d.checkKeptRows()
	})
}

// screenStories are the seeds of FuzzScreen, and inputs that it has found.
var screenStories = []string{
	// Questions of the demo with hidden and many combining characters.
	"0020",
	// A queued message on a screen of 8 columns.
	"pfa" + "id" + "dbb" + "cab" + "fabhyb",
	// A key that reorders text.
	"aaa" + "a*b",
	// An approval whose pattern fills the screen.
	"aaa" + "jaabgaaaaaaaaaaaaaagaaa" + strings.Repeat("a", 15) + "d",
	// Scrolled up on a screen of one column.
	"aaa" + "if" + "fabazb" + "chb",
}

// script has the part of a story that is still to be told.
type script struct {
	left  []byte
	log   []string
	frame string // the last one that was checked
	quit  bool
}

// next returns the next byte. A story ends with any number of zeros.
func (s *script) next() int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	if b >= 'a' {
		b -= 'a'
	}
	return int(b)
}

// pick chooses from a list.
func pick[T any](s *script, list []T) T { return list[s.next()%len(list)] }

// text chooses an odd text, or takes the next bytes of the story.
func (s *script) text() string {
	n := s.next()
	if n < len(oddTexts) {
		return oddTexts[n]
	}
	own := min(n%32, len(s.left))
	text := string(s.left[:own])
	s.left = s.left[own:]
	return strings.ToValidUTF8(text, "\ufffd")
}

// note notes a step.
func (s *script) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// check checks the frame, if it has changed. If it is wrong, it names the last steps.
func (s *script) check(d *driver) {
	d.t.Helper()
	frame := d.m.View().Content
	if frame == s.frame {
		return
	}
	s.frame = frame
	defer func() {
		if d.t.Failed() {
			d.t.Logf("the last steps were\n%s", strings.Join(s.log[max(0, len(s.log)-20):], "\n"))
		}
	}()
	d.checkFrame()
}

// times are how long a step takes.
var times = []time.Duration{0, time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond, second, 5 * second,
	time.Minute}

// steps are what can happen.
var steps = []func(s *script, d *driver){
	func(s *script, d *driver) {
		k := pick(s, keyPresses)
		s.note("key %q", k.String())
		d.send(k)
	},
	func(s *script, d *driver) {
		for range 1 + s.next()%30 {
			k := pick(s, keyPresses)
			s.note("key %q", k.String())
			d.send(k)
		}
	},
	func(s *script, d *driver) {
		k := pick(s, strings.Fields("enter esc y n r s a pgup pgdown ctrl+o ? tab up down ctrl+c"))
		s.note("press %s", k)
		d.press(k)
	},
	func(s *script, d *driver) {
		text := sanitize.Text(sanitize.Cut(s.text(), 200)) // keys one by one may have any number of marks
		s.note("type %q", text)
		d.typeText(text)
	},
	func(s *script, d *driver) {
		text := s.text()
		s.note("paste %q", text)
		d.send(tea.PasteMsg{Content: text})
	},
	func(s *script, d *driver) {
		size := pick(s, sizes)
		if s.next()%2 == 1 {
			size = [2]int{1 + s.next(), 1 + s.next()%100}
		}
		s.note("resize %v", size)
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	},
	func(s *script, d *driver) {
		report := pick(s, reports)
		s.note("report %T%v", report, report)
		d.send(report)
	},
	func(s *script, d *driver) {
		command := "/" + pick(s, commandNames()) + pick(s, commandArguments)
		s.note("command %s", command)
		d.press("esc", "ctrl+u")
		d.typeText(command + "\n")
	},
	func(s *script, d *driver) {
		s.note("a question")
		d.press("esc", "ctrl+u")
		d.typeText("go\n")
	},
	func(s *script, d *driver) {
		script := s.turn()
		s.note("turn %+v", script)
		if !d.m.occupied() {
			d.start(script...)
		}
	},
	func(s *script, d *driver) {
		e := elicit.Elicitation{Server: s.text(), Message: s.text(), Schema: json.RawMessage(pick(s, schemas))}
		if s.next()%4 == 1 {
			e.URL = "https://example.org/" + s.text()
		}
		s.note("request %q %q %s %q", e.Server, e.Message, e.Schema, e.URL)
		go elicitsAs(e)(d.ctx, d.m.options.Inbox)
	},
	func(s *script, d *driver) {
		state := mcpclient.ServerStatus{Name: s.text(), Detail: s.text(), Tools: s.next(), State: pick(s, serverStates),
			Stderr: []string{s.text()}, LogsIn: s.next()%2 == 1, Late: s.next()%2 == 1}
		s.note("server %+v", state)
		d.m.options.Board.(*servers.Board).Set(state)
	},
}

// keyPresses are keys that edit text, odd ones, and all that have an action.
var keyPresses = func() []tea.KeyPressMsg {
	var all []tea.KeyPressMsg
	for name := range strings.FieldsSeq("enter esc tab backspace up down pgup pgdown y n r s a ? ctrl+o e l left right " +
		"delete shift+tab ctrl+a ctrl+e ctrl+k ctrl+u ctrl+w ctrl+y alt+b alt+f alt+d alt+backspace alt+x ctrl+g f1 f2 " +
		"@ / ; 日 é 👩‍👩‍👧 e\u0301 \u202e \U0010ffff") {
		all = append(all, keyPress(name))
	}
	all = append(all, tea.KeyPressMsg{}, tea.KeyPressMsg{Code: ' ', Text: " "},
		tea.KeyPressMsg{Code: ' ', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: tea.KeyF12},
		tea.KeyPressMsg{Code: tea.KeyInsert}, tea.KeyPressMsg{Code: tea.KeyMediaPlay},
		tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl | tea.ModAlt | tea.ModShift},
		tea.KeyPressMsg{Code: tea.KeyExtended, Text: "many\x1b[2J\t\n\u009bletters"})
	bound := Bind(nil, nil)
	for _, name := range actionNames() {
		for _, key := range bound[name] {
			all = append(all, keyPress(key))
		}
	}
	return slices.Clip(all)
}()
