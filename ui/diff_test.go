package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

// foresight is a set of servers that can preview their changes.
type foresight struct {
	*toolbox
	diff string
	file *string // if not nil, its line is in the diff, and calls need it as it was then
	err  error
}

func (f foresight) Preview(context.Context, string, json.RawMessage) (diff, basis string, err error) {
	if f.file != nil {
		return f.diff + "-" + *f.file + "\n", *f.file, nil
	}
	return f.diff, "", f.err
}

func (f foresight) Call(
	ctx context.Context, call mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	if f.file != nil && call.Basis != *f.file {
		return mcpclient.Result{}, fmt.Errorf("%w: it is %s", mcpclient.ErrOutdated, *f.file)
	}
	return f.toolbox.Call(ctx, call, progress)
}

func TestApprovalDiff(t *testing.T) {
	const long = "-a line that is much too long for the screen and goes on in the next row, where it has to be read, too"
	edit := func(t *testing.T, width int, f foresight, story func(d *driver)) {
		f.toolbox = newToolbox()
		f.tools = append(f.tools, mcpclient.Tool{Name: "files__edit_file", Server: "files", ServerTool: "edit_file",
			Trusted: true, Destructive: true})
		o := with(says(calls("files__edit_file", `{"path":"notes.txt","old_text":"two","new_text":"2"}`), chunks(0, "Done.")))
		o.Chat.Tools, o.Tools = f, f
		drive(t, width, 30, o, func(d *driver) {
			d.typeText("Edit it\n").wait(2 * second)
			story(d)
			d.press("y").wait(2 * second)
			d.sees("Edit File", "Done.")
		})
	}
	diff := "--- notes.txt\n+++ notes.txt\n@@ -1,3 +1,4 @@\n one\n-two\n" + long +
		"\n+2 \x1b[2J\u202e\n+\tnew\n+--- no header\n three\n"
	for width, name := range map[int]string{40: "diff-40", 80: "diff-80"} {
		t.Run(name, func(t *testing.T) {
			edit(t, width, foresight{diff: diff}, func(d *driver) {
				d.sees("Allow this call?", "notes.txt · +3 −2", "2 - two", `2 + 2 \x1b[2J\u202e`)
				d.sees("3 +     new", "4 + --- no header")
				d.seesNot(`"old_text"`)
				d.golden(name)
			})
		})
	}
	t.Run("new file", func(t *testing.T) {
		edit(t, 80, foresight{diff: "--- /dev/null\n+++ new.txt\n@@ -0,0 +1 @@\n+hi\n\\ No newline at end of file\n"},
			func(d *driver) {
				d.sees("new.txt · new file · +1 −0", "1 + hi")
			})
	})
	t.Run("file that changes meanwhile", func(t *testing.T) {
		file := "old line"
		edit(t, 80, foresight{diff: "--- notes.txt\n+++ notes.txt\n@@ -1 +0,0 @@\n", file: &file}, func(d *driver) {
			d.sees("1 - old line")
			file = "work of another program"
			d.press("y").wait(2 * second)
			d.sees("Allow this call?", "1 - work of another program", "the approved change is outdated")
		})
	})
	t.Run("what cannot go well", func(t *testing.T) {
		edit(t, 80, foresight{err: errors.New("old_text is not in \"notes.txt\"")}, func(d *driver) {
			d.sees("Allow this call?", `would fail now: old_text is not in "notes.txt"`, "old_text: two")
		})
	})
}
