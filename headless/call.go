package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// Trial is one tool call without a model, for authors of servers.
type Trial struct {
	Tool      mcpclient.Tool
	Arguments json.RawMessage // an object
	Images    string          // the folder for the images of the result; "" writes none
}

// callResult is the outcome of a call, as --output json prints it.
type callResult struct {
	Server     string           `json:"server"`
	Tool       string           `json:"tool"`
	Status     event.CallStatus `json:"status"`   // ok, error or cancelled
	IsError    bool             `json:"is_error"` // the tool reported a failure, explained in Text
	Error      string           `json:"error"`    // why there is no result, or an image was not written
	Text       string           `json:"text"`     // the text that a model reads
	Tokens     int              `json:"tokens"`   // of the text, an estimate
	Structured json.RawMessage  `json:"structured"`
	Misfit     string           `json:"misfit"` // how the result differs from the output schema
	Sources    []string         `json:"sources"`
	Images     []callImage      `json:"images"`
	TookMS     int64            `json:"took_ms"`
}

// callImage is an image of a result.
type callImage struct {
	MIME  string `json:"mime"`
	Bytes int    `json:"bytes"`
	File  string `json:"file"` // "" if it was not written
}

// Call calls a tool of o.Chat.Tools without a model, and returns the exit code. Stdout gets the text that a model would
// read, or with FormatJSON an object with everything. Stderr gets progress, requests of the server, and how the result
// differs from the output schema.
func Call(ctx context.Context, o Options, t Trial) int {
	out := newPrinter(o)
	title, began := mcpclient.Title(t.Tool.Title, t.Tool.ServerTool), time.Now()
	work := status.Using(title)
	if t.Tool.BuiltIn == "" {
		work.Server = t.Tool.Server
	}
	show := func(w status.Work) { out.status(status.State{Phase: status.UsingTool, Work: w, Since: began}) }
	show(work)
	call := mcpclient.Call{Tool: t.Tool.Name, Arguments: t.Arguments, Judged: mcpclient.FingerprintOf(t.Tool)}
	result, err := o.Chat.Tools.Call(ctx, call, func(p mcpclient.Progress) {
		show(work.With(p))
	})
	o.notices(out)
	out.status(status.State{})
	r := callResult{
		Server: t.Tool.Server, Tool: t.Tool.ServerTool, Status: event.CallOK, IsError: result.Failed,
		Text: result.Text, Tokens: provider.Message{Text: result.Text}.Tokens(), TookMS: time.Since(began).Milliseconds(),
		Structured: result.Structured, Misfit: result.Odd,
		Sources: append([]string{}, result.Sources...), Images: []callImage{},
	}
	if err == nil && len(t.Tool.Output) > 0 && result.Structured == nil && !result.Failed {
		r.Misfit = "it is missing"
	}
	for _, data := range result.Images {
		image := callImage{MIME: http.DetectContentType(data), Bytes: len(data)}
		if t.Images != "" && err == nil {
			image.File, err = writeImage(t, image.MIME, data)
		}
		r.Images = append(r.Images, image)
	}
	code := 0
	switch {
	case err != nil && ctx.Err() != nil:
		r.Status, r.Error, code = event.CallCancelled, err.Error(), 130
	case err != nil:
		r.Status, r.Error, code = event.CallError, err.Error(), 1
	case result.Failed:
		r.Status, code = event.CallError, 1
	}
	if err := o.printCall(out, r); err != nil {
		PrintError(o.Stderr, fmt.Errorf("cannot write the result: %w", err))
		return 1
	}
	return code
}

// printCall writes the result to Stdout, and details that a model does not read to Stderr.
func (o *Options) printCall(out printer, r callResult) error {
	if r.Error != "" {
		PrintError(o.Stderr, errors.New(r.Error))
	}
	if o.Format == FormatJSON {
		text, err := sanitize.EncodeJSON(r, "  ")
		if err == nil {
			_, err = o.Stdout.Write(text)
		}
		return err
	}
	if r.Error != "" && r.Text == "" { // a result always has text
		return nil
	}
	if _, err := fmt.Fprintln(o.Stdout, sanitize.Text(r.Text)); err != nil {
		return err
	}
	notice := func(format string, args ...any) { out.event(event.Notice{Text: fmt.Sprintf(format, args...)}) }
	if r.IsError {
		notice("The tool reported a failure")
	}
	if r.Misfit != "" && !strings.Contains(r.Text, r.Misfit) { // else the text contains it
		notice("The structured content does not match the output schema: %s", r.Misfit)
	}
	for _, i := range r.Images {
		if i.File != "" {
			notice("Wrote %q (%s, %d bytes)", i.File, i.MIME, i.Bytes)
		}
	}
	if text, ok := out.(*textPrinter); ok {
		took := quantity.Brief(time.Duration(r.TookMS) * time.Millisecond)
		text.whisper(fmt.Sprintf("Took %s, about %s tokens", took, quantity.Count(r.Tokens)))
	}
	return nil
}

// writeImage writes an image into a new file, and returns its path.
func writeImage(t Trial, kind string, data []byte) (path string, err error) {
	if err := os.MkdirAll(t.Images, 0o755); err != nil {
		return "", fmt.Errorf("cannot create the folder %q: %w", t.Images, atomicfile.Cause(err))
	}
	extension, isImage := strings.CutPrefix(kind, "image/")
	if !isImage {
		extension = "bin"
	}
	file, err := os.CreateTemp(t.Images, "image-*."+extension)
	if err != nil {
		return "", fmt.Errorf("cannot write images to %q: %w", t.Images, atomicfile.Cause(err))
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("cannot write the image %q: %w", file.Name(), atomicfile.Cause(err))
	}
	return file.Name(), nil
}

// late reports each server that may be installing once.
func (o *Options) late(out printer) {
	for _, s := range o.Board.Servers() {
		if s.Late && !slices.Contains(o.reported, s.Name) {
			o.reported = append(o.reported, s.Name)
			out.event(event.Notice{Text: fmt.Sprintf("Server %q is %s", s.Name, s.Detail)})
		}
	}
}

// Connect waits until ready returns. It reports servers that may be installing, and on a terminal it shows how many
// servers have started.
func Connect(ctx context.Context, o Options, servers mcpclient.Starting, ready func(context.Context) error) error {
	out, done := newPrinter(o), make(chan error, 1)
	go func() { done <- ready(ctx) }()
	state := status.State{Phase: status.Connecting, Since: time.Now()}
	for {
		settled, all, changed := servers.Starting()
		if state.Text = status.ConnectingTo(settled, all); o.StatusWidth != nil {
			out.status(state)
		}
		if settled < all && !o.Quiet {
			o.late(out)
		}
		select {
		case <-changed:
		case err := <-done:
			out.status(status.State{})
			return err
		}
	}
}
