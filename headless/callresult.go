package headless

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/cause"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// callResult is what came of a call by hand, as --output json has it.
type callResult struct {
	Server     string              `json:"server"`
	Tool       string              `json:"tool"`
	Status     provider.CallStatus `json:"status"`   // ok, error or cancelled
	IsError    bool                `json:"is_error"` // the tool says that it failed: text says why
	Error      string              `json:"error"`    // why there is no result, or not all of its images are written, one sentence
	Text       string              `json:"text"`     // what a model reads
	Tokens     int                 `json:"tokens"`   // of the text; about
	Structured json.RawMessage     `json:"structured"`
	Misfit     string              `json:"misfit"` // how that is not what the tool announces
	Sources    []string            `json:"sources"`
	Images     []callImage         `json:"images"`
	TookMS     int64               `json:"took_ms"`
}

// callImage is an image of a result.
type callImage struct {
	MIME  string `json:"mime"`
	Bytes int    `json:"bytes"`
	File  string `json:"file"` // "" when nobody wanted one
}

// hasNone is the misfit of a result without the structured content that its tool announces.
const hasNone = "it has none"

// called says how a call went, and returns the exit code.
func (o *Options) called(ctx context.Context, out printer, t Trial, c called, took time.Duration) int {
	r := callResult{
		Server: t.Tool.Server, Tool: t.Tool.ServerTool, Status: provider.CallOK, Sources: []string{}, Images: []callImage{},
		TookMS: took.Milliseconds(),
	}
	code := 0
	switch {
	case c.err != nil && ctx.Err() != nil:
		r.Status, r.Error, code = provider.CallCancelled, stoppedWords(t, c.err, took), 130
	case c.err != nil:
		r.Status, r.Error, code = provider.CallError, c.err.Error(), 1
	default:
		if err := r.read(t, c.result); err != nil {
			r.Status, r.Error, code = provider.CallError, err.Error(), 1
		}
		if c.result.Failed {
			r.Status, code = provider.CallError, 1
		}
	}
	if err := o.printCall(out, r); err != nil {
		PrintError(o.Stderr, fmt.Errorf("the result cannot be written: %w", err))
		return 1
	}
	return code
}

// stoppedWords say what is known of the server of a call that was stopped.
func stoppedWords(t Trial, err error, took time.Duration) string {
	switch {
	case errors.Is(err, mcpclient.ErrUnasked):
		return fmt.Sprintf("stopped after %s, before the server %q was asked", precisely(took), t.Tool.Server)
	case errors.Is(err, mcpclient.ErrUnconfirmed):
		return fmt.Sprintf("stopped after %s, but the server %q did not confirm it and may still be working on it", precisely(took), t.Tool.Server)
	}
	return fmt.Sprintf("stopped after %s, and the server %q was told", precisely(took), t.Tool.Server)
}

// read takes over a result, and writes its images where they are wanted.
func (r *callResult) read(t Trial, result mcpclient.Result) (err error) {
	r.IsError, r.Text, r.Structured, r.Misfit = result.Failed, result.Text, result.Structured, result.Odd
	r.Tokens = provider.Message{Text: result.Text}.Tokens()
	r.Sources = append(r.Sources, result.Sources...)
	if len(t.Tool.Output) > 0 && result.Structured == nil && !result.Failed {
		r.Misfit = hasNone
	}
	for _, data := range result.Images {
		image := callImage{MIME: http.DetectContentType(data), Bytes: len(data)}
		if t.Images != "" && err == nil {
			image.File, err = writeImage(t, image.MIME, data)
		}
		r.Images = append(r.Images, image)
	}
	return err
}

// printCall writes the result to Stdout, and beside it what a model does not read.
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
	if r.Error != "" && r.Text == "" { // there is no result: one always has a text
		return nil
	}
	if _, err := fmt.Fprintln(o.Stdout, sanitize.Text(r.Text)); err != nil {
		return err
	}
	if r.IsError {
		out.event(provider.Notice{Text: "The tool says that it failed."})
	}
	switch {
	case r.Misfit == hasNone:
		out.event(provider.Notice{Text: "The tool announces structured content, and the result has none."})
	case r.Misfit != "" && !strings.Contains(r.Text, r.Misfit): // else a model is told, too
		out.event(provider.Notice{Text: "The structured content is not what the tool announces: " + r.Misfit + "."})
	}
	for _, i := range r.Images {
		if i.File != "" {
			out.event(provider.Notice{Text: fmt.Sprintf("Wrote %q: %s of %d bytes.", i.File, i.MIME, i.Bytes)})
		}
	}
	if text, ok := out.(*textPrinter); ok {
		text.whisper(r.receipt())
	}
	return nil
}

// receipt is "Took 1.24s, about 340 tokens for a model."
func (r callResult) receipt() string {
	words := fmt.Sprintf("Took %s, about %s tokens for a model", precisely(time.Duration(r.TookMS)*time.Millisecond), status.Count(r.Tokens))
	if len(r.Structured) > 0 && !strings.Contains(r.Text, string(r.Structured)) {
		words += fmt.Sprintf("; --output json has %d bytes of structured content beside the text", len(r.Structured))
	}
	return words + "."
}

// precisely is a duration for people who measure: "41ms", "2.05s", "1m3s".
func precisely(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// unsafeInName is what of a tool's name no file's name may have on any system.
var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// mostWritten is how many images of one name lie in a folder.
const mostWritten = 1000

// writeImage writes an image beside those that are there already, and returns its path.
func writeImage(t Trial, kind string, data []byte) (path string, err error) {
	if err := os.MkdirAll(t.Images, 0o755); err != nil {
		return "", fmt.Errorf("the folder %q cannot be made: %w", t.Images, cause.Of(err))
	}
	name := strings.Trim(sanitize.Clip(unsafeInName.ReplaceAllString(t.Tool.ServerTool, "-"), 60), "-…")
	name = cmp.Or(name, "image")
	for n := 1; n <= mostWritten; n++ {
		path = filepath.Join(t.Images, fmt.Sprintf("%s-%d%s", name, n, endingOf(kind)))
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_, err = file.Write(data)
			if err = cmp.Or(err, file.Close()); err != nil {
				_ = os.Remove(path) // half an image serves nobody
			}
		}
		if err != nil {
			return "", fmt.Errorf("the image %q cannot be written: %w", path, cause.Of(err))
		}
		return path, nil
	}
	return "", fmt.Errorf("the folder %q has %d images of %q already: choose another", t.Images, mostWritten, name)
}

// endingOf is what the name of a file of that kind ends with.
func endingOf(kind string) string {
	switch kind {
	case "image/png", "image/gif", "image/webp", "image/bmp":
		return "." + strings.TrimPrefix(kind, "image/")
	case "image/jpeg":
		return ".jpg"
	}
	return ".bin"
}
