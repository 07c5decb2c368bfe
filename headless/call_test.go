package headless_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider/loop"
)

// oneTool is a server with a single tool.
type oneTool func(ctx context.Context, progress func(mcpclient.Progress)) (mcpclient.Result, error)

func (f oneTool) Tools() []mcpclient.Tool { return nil }

func (f oneTool) Call(
	ctx context.Context, _ mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	return f(ctx, progress)
}

// byHand calls the tool and returns the output.
func byHand(ctx context.Context, o headless.Options, t headless.Trial, tool oneTool) (stdout, stderr string, code int) {
	var out, errs strings.Builder
	o.Chat, o.Stdout, o.Stderr = loop.Chat{Tools: tool}, &out, &errs
	t.Tool.Server, t.Tool.ServerTool = "shop", "look_up"
	code = headless.Call(ctx, o, t)
	return out.String(), errs.String(), code
}

func TestCallShowsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(_ context.Context, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			for i := range 3 {
				progress(mcpclient.Progress{Done: float64(i + 1), Total: 3, Message: "reading\x1b[2J"})
				time.Sleep(time.Minute)
			}
			return mcpclient.Result{Text: "sunny\x1b[31m"}, nil
		}
		out, errs, code := byHand(t.Context(), headless.Options{}, headless.Trial{}, slow)
		want := "Using Look Up on shop…\nLook Up on shop · 1/3 · reading[2J\nLook Up on shop · 2/3 · reading[2J\n" +
			"Look Up on shop · 3/3 · reading[2J\nTook 3m00s, about 10 tokens\n"
		if out != "sunny[31m\n" || errs != want || code != 0 {
			t.Errorf("%q, %q, %d", out, errs, code)
		}
		out, errs, _ = byHand(t.Context(), headless.Options{Quiet: true}, headless.Trial{}, slow)
		if out != "sunny[31m\n" || errs != "" {
			t.Errorf("quiet: %q, %q", out, errs)
		}
	})
}

func TestCallOutcome(t *testing.T) {
	announced := mcpclient.Tool{Output: json.RawMessage(`{"type":"object","required":["degrees"]}`)}
	for name, c := range map[string]struct {
		tool   mcpclient.Tool
		result mcpclient.Result
		err    error
		stderr string // without the line of the step and the receipt
		json   string
		code   int
	}{
		"the tool fails": {result: mcpclient.Result{Text: "no such town", Failed: true}, code: 1,
			stderr: "The tool reported a failure", json: `"is_error": true`},
		"there is no result": {err: errors.New("the server \"shop\" is gone"), code: 1,
			stderr: `aloud: the server "shop" is gone`,
			json:   `"error": "the server \"shop\" is gone"`},
		"its structure is another": {tool: announced, result: mcpclient.Result{Text: "x",
			Structured: json.RawMessage(`{"c":1}`), Odd: `"degrees" is missing`},
			stderr: `The structured content does not match the output schema: "degrees" is missing`,
			json:   `"misfit": "\"degrees\" is missing"`},
		"it has no structure": {tool: announced, result: mcpclient.Result{Text: "x"},
			stderr: `The structured content does not match the output schema: it is missing`, json: `"misfit": "it is missing"`},
		"there is more than text": {result: mcpclient.Result{Text: "x", Structured: json.RawMessage(`{"c":1}`)},
			stderr: "Took 0s, about 8 tokens", json: `"c": 1`},
	} {
		tool := func(context.Context, func(mcpclient.Progress)) (mcpclient.Result, error) { return c.result, c.err }
		out, errs, code := byHand(t.Context(), headless.Options{}, headless.Trial{Tool: c.tool}, tool)
		if want := strings.TrimPrefix(c.result.Text+"\n", "\n"); out != want || !strings.Contains(errs, c.stderr+"\n") ||
			code != c.code {
			t.Errorf("%s: %q, %q, %d", name, out, errs, code)
		}
		out, _, code = byHand(t.Context(), headless.Options{Format: headless.FormatJSON}, headless.Trial{Tool: c.tool}, tool)
		if !json.Valid([]byte(out)) || !strings.Contains(out, c.json) || code != c.code {
			t.Errorf("%s: %s, %d", name, out, code)
		}
	}
}

func TestCallWritesImages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	picture := []byte("\x89PNG\r\n\x1a\n")
	tool := func(context.Context, func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: "[image]", Images: [][]byte{picture, picture}}, nil
	}
	for _, files := range []int{2, 4} { // existing files are kept
		_, errs, code := byHand(t.Context(), headless.Options{}, headless.Trial{Images: folder}, tool)
		written, _ := filepath.Glob(filepath.Join(folder, "image-*.png")) // the pattern is well formed
		if n := strings.Count(errs, "(image/png, 8 bytes)\n"); n != 2 || len(written) != files || code != 0 {
			t.Fatalf("%q, %d; there are %q", errs, code, written)
		}
		for _, path := range written {
			if data, err := os.ReadFile(path); string(data) != string(picture) {
				t.Errorf("%s: %q, %v", path, data, err)
			}
		}
	}
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := headless.Trial{Images: inTheWay}
	if out, errs, code := byHand(t.Context(), headless.Options{}, blocked, tool); out != "[image]\n" || code != 1 ||
		!strings.Contains(errs, fmt.Sprintf("cannot create the folder %q: ", inTheWay)) {
		t.Errorf("%q, %q, %d", out, errs, code)
	}
	out, _, code := byHand(t.Context(), headless.Options{Format: headless.FormatJSON}, blocked, tool)
	if !strings.Contains(out, `"status": "error"`) || !strings.Contains(out, "cannot create the folder ") ||
		!strings.Contains(out, "[image]") || code != 1 {
		t.Errorf("%s, %d", out, code)
	}
}

func TestCallStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, errs, code := byHand(ctx, headless.Options{Quiet: true}, headless.Trial{},
		func(context.Context, func(mcpclient.Progress)) (mcpclient.Result, error) {
			stop()
			return mcpclient.Result{}, errors.New("the call was stopped")
		})
	if out != "" || errs != "aloud: the call was stopped\n" || code != 130 {
		t.Errorf("%q, %q, %d", out, errs, code)
	}
}

func TestCallReportsElicitation(t *testing.T) {
	d := elicit.NewInbox(false)
	out, errs, code := byHand(t.Context(), headless.Options{Inbox: d}, headless.Trial{},
		func(ctx context.Context, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			got, err := d.Elicit(ctx, elicit.Elicitation{Server: "shop", Message: "Which\ntown?"})
			return mcpclient.Result{Text: fmt.Sprint(got.Action, err)}, nil
		})
	if out != "decline<nil>\n" || code != 0 {
		t.Errorf("%q, %d", out, code)
	}
	if strings.Count(errs, `only the full-screen chat can show. Declined: Which town?`) != 1 {
		t.Errorf("it is not told once: %q", errs)
	}
}
