package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
)

// managed is a server that removes models and keeps them in memory.
type managed struct {
	*providertest.Script
	fails error
}

func (m *managed) at(name string) int {
	return slices.IndexFunc(m.Models, func(i provider.Info) bool { return i.Name == name })
}

func (m *managed) Remove(_ context.Context, name string) error {
	if m.fails == nil {
		m.Models = slices.Delete(slices.Clone(m.Models), m.at(name), m.at(name)+1)
	}
	return m.fails
}

func (m *managed) Keep(_ context.Context, name string, on bool) error {
	time.Sleep(second)
	m.Models = slices.Clone(m.Models)
	m.Models[m.at(name)].Loaded, m.Models[m.at(name)].Kept = true, on
	return m.fails
}

// someModels returns options with a server of four models.
func someModels() (Options, *managed) {
	m := &managed{Script: says(chunks(0, "Fine."), chunks(0, "Good."))}
	m.Models = []provider.Info{
		{Name: "qwen3:8b", Tools: true, Thinking: true, Known: true, Size: 5.2e9, Context: 40960, Params: "8.2B",
			Loaded: true},
		{Name: "gpt-oss:20b", Tools: true, Thinking: true, Levels: true, Known: true, Size: 13.8e9, Context: 131072,
			Params: "20.9B", Memory: 4e9},
		{Name: "qwen3-coder:30b", Tools: true, Known: true, Size: 18.6e9, Context: 262144, Params: "30.5B", TooLarge: true},
		{Name: "gpt-oss:120b-cloud", Tools: true, Known: true, Remote: true},
	}
	o := with(m)
	o.Chat.Name = "qwen3:8b"
	o.Chat.Pace = pace.Open("", "")
	o.Chat.Pace.NoteWrote("gpt-oss:20b", 310, 10*time.Second)
	o.Chat.Pace.NoteTools("gpt-oss:20b", 41, 48)
	return o, m
}

func TestListOfModelsHelpsToChoose(t *testing.T) {
	for width, height := range map[int]int{20: 7, 40: 15, 80: 24, 100: 34} {
		o, _ := someModels()
		drive(t, width, height, o, func(d *driver) {
			d.typeText("/model\n").wait(second)
			d.golden("modellist-" + strconv.Itoa(width))
		})
	}
}

// slow is a server that takes two seconds to describe a model.
type slow struct{ *managed }

func (s slow) Describe(ctx context.Context, name string) (provider.Info, error) {
	time.Sleep(2 * second)
	return s.managed.Describe(ctx, name)
}

func TestModelThatIsFoundLaterIsMarkedInList(t *testing.T) {
	o, m := someModels()
	o.Chat.Model = slow{m}
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.sees("›   qwen3:8b")
		d.wait(2 * second)
		d.sees("› ● qwen3:8b")
	})
}

func TestModelIsRemovedAfterQuestion(t *testing.T) {
	o, m := someModels()
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.press("ctrl+d")
		d.sees("qwen3:8b is in use")
		d.typeText("coder").press("ctrl+d")
		d.sees("Remove qwen3-coder:30b?", "you must download it.")
		d.press("enter", "n")
		d.sees("qwen3-coder:30b", "ctrl+d to remove")
		d.press("ctrl+d", "y").wait(second)
		if m.at("qwen3-coder:30b") >= 0 {
			t.Error("the model was not removed")
		}
		d.press("esc")
		d.sees("gpt-oss:20b")
		d.seesNot("coder")
	})
}

func TestModelIsKeptInMemory(t *testing.T) {
	o, m := someModels()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.typeText("oss").press("down", "up", " ")
		d.sees("loading…")
		d.wait(2 * second)
		d.sees("GB  kept · ")
		d.press(" ").wait(2 * second)
		d.sees("GB  in memory · ")
		d.seesNot("kept")
		m.fails = errors.New("the model needs more memory")
		d.press(" ").wait(2 * second)
		d.sees("The model needs more memory.")
	})
}

func TestThinkingLevelIsSetInList(t *testing.T) {
	o, m := someModels()
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.seesNot("to think more")
		d.press("down")
		d.sees("right to think more")
		d.press("right", "right", "right", "right", "right", "right")
		d.sees("thinking: medium")
		d.press("enter").wait(second)
		d.typeText("Hi\n").wait(second)
		if asked := m.Requests(); len(asked) != 1 || asked[0].Think != provider.ThinkMedium {
			t.Errorf("the requests are %+v", asked)
		}
		d.typeText("/think high\n")
		d.sees("Thinking: high")
	})
}

func TestThinkingLevelIsRefused(t *testing.T) {
	o, _ := someModels()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/think high\n")
		d.sees("qwen3:8b has no thinking levels · /think auto|on|off")
		if think := d.m.talk.chat.Settings().Think; think.IsLevel() {
			t.Errorf("Think is %q", think)
		}
	})
}

func TestConfiguredThinkingLevelIsLeftOut(t *testing.T) {
	o, m := someModels()
	o.Chat.Think = provider.ThinkHigh
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("Hi\n").wait(second)
		d.sees("qwen3:8b has no thinking levels and thinks as much as usual")
		if asked := m.Requests(); len(asked) != 1 || asked[0].Think.IsLevel() {
			t.Errorf("the requests are %+v", asked)
		}
	})
}

func TestServerWithoutManagementShowsNoActions(t *testing.T) {
	o, m := someModels()
	o.Chat.Model = m.Script
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.seesNot("to remove", "to keep")
		d.press("ctrl+d")
		d.seesNot("Remove")
	})
}

// lists is a server that needs a second to list its models.
type lists struct {
	*managed
	fails error
}

func (l *lists) List(ctx context.Context) ([]provider.Info, error) {
	time.Sleep(second)
	if l.fails != nil {
		return nil, l.fails
	}
	return l.managed.List(ctx)
}

// A name that you type before the list is there is not a download of the model.
func TestNameTypedBeforeListOfModelsIsNoDownload(t *testing.T) {
	o, m := someModels()
	o.Chat.Model = &lists{managed: m}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model\noss")
		d.seesNot("download ", "↓")
		d.press("enter").wait(2 * second)
		d.sees("── Models", "›   gpt-oss:20b", "filter oss")
	})
}

func TestModelsStayInListThatCannotBeReadAgain(t *testing.T) {
	o, m := someModels()
	l := &lists{managed: m}
	o.Chat.Model = l
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(2 * second)
		l.fails = errors.New("the server is gone")
		d.typeText("oss").press("down", "up", " ").wait(4 * second)
		d.sees("The server is gone.", "gpt-oss:20b")
		d.press("esc", "esc").typeText("/model\n").wait(2 * second)
		d.sees("The server is gone.")
		d.seesNot("No models installed")
	})
}

// Removing asks first, and the model may come into use meanwhile.
func TestModelThatCameIntoUseIsNotRemoved(t *testing.T) {
	o, m := someModels()
	o.Chat.Model = &describes{managed: m}
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("/model\n").wait(second)
		d.typeText("coder").press("enter")
		d.typeText("/model\n").wait(second)
		d.typeText("coder").press("ctrl+d").wait(10 * second)
		d.press("y").wait(second)
		if d.m.models.inUse != "qwen3-coder:30b" || m.at("qwen3-coder:30b") < 0 {
			t.Errorf("%q is in use, and the models are %+v", d.m.models.inUse, m.Models)
		}
	})
}

// describes is a server that needs some seconds to describe a model.
type describes struct{ *managed }

func (m *describes) Describe(ctx context.Context, name string) (provider.Info, error) {
	time.Sleep(5 * second)
	return m.managed.Describe(ctx, name)
}
