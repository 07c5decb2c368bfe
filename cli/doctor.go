package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/openai"
)

func doctorCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check that a chat works; the exit code is 0 if it does", Args: argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withConfig(cmd, *f, func(cfg *config.Config) error {
				d := &doctor{Config: cfg, out: cmd.OutOrStdout()}
				place, _ := configPlace(cfg)
				d.fine("config", "%s", place)
				d.model(cmd.Context())
				d.servers(cmd.Context())
				if cmd.Context().Err() != nil {
					return exit(130)
				}
				d.terminal()
				return exit(d.code)
			})
		},
	}
}

// doctor prints a line for each thing it checks and remembers whether a chat would work.
type doctor struct {
	*config.Config
	out  io.Writer
	code int // 0: a chat would work; 3: no server or model; 1: something else that is needed
}

func (d *doctor) fine(what, format string, args ...any) { d.line("✓", what, format, args...) }
func (d *doctor) note(what, format string, args ...any) { d.line("!", what, format, args...) }
func (d *doctor) more(text string)                      { d.line(" ", "", "%s", text) }

func (d *doctor) line(mark, what, format string, args ...any) {
	fmt.Fprintf(d.out, "%s %-10s %s\n", mark, sanitize.Line(what), sanitize.Line(d.Mask(fmt.Sprintf(format, args...))))
}

// broken reports a problem that prevents a chat.
func (d *doctor) broken(code int, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return // ctrl+c
	}
	d.line("✗", what, "%s", err)
	if model, ok := errors.AsType[*provider.Error](err); ok && model.Hint != "" {
		d.more(model.Hint)
	}
	d.code = cmp.Or(d.code, code)
}

// model checks the server and the model that a chat would use.
func (d *doctor) model(ctx context.Context) {
	const patience = 10 * time.Second // for a server that accepts connections and does not answer
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	model, err := newModel(d.Config)
	if err != nil {
		d.broken(2, "server", err)
		return
	}
	var server string
	switch client := model.(type) {
	case *ollama.Client:
		server, err = client.Version(ctx)
		server = fmt.Sprintf("Ollama %s at %s", server, client.Address())
	case *openai.Client:
		var models []provider.Info
		models, err = client.List(ctx)
		server = fmt.Sprintf("at %s, models: %d", client.Address(), len(models))
	default:
		d.fine("model", "the built-in demo, which needs no server")
		return
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the server at %q does not answer within %v; restart it, or set another with --host",
			d.Chosen().Address(), patience)
	}
	if err != nil {
		d.broken(3, "server", err)
		return
	}
	state, _ := config.StateDir(os.LookupEnv) // without it the last model is unknown
	info, err := provider.Choose(ctx, model, d.Model, config.LastModel(state, d.Provider))
	local, _ := model.(*ollama.Client)
	client, isOpenAI := model.(*openai.Client)
	if isOpenAI {
		server = cmp.Or(client.Program(info.Name), "OpenAI's API") + " " + server
	}
	d.fine("server", "%s", server)
	if p := d.Chosen(); p.APIKeyEnv != "" {
		d.fine("key", "from the environment variable %s", p.APIKeyEnv)
	}
	if err != nil {
		d.broken(3, "model", err)
		return
	}
	right, asked := paceOf(d.Config, model, state, false).Tools(info.Name)
	d.fine("model", "%s", describeModel(info, right, asked))
	if !info.Tools {
		d.note("", "the model cannot use tools; a chat works without them")
	}
	switch {
	case !isOpenAI:
		d.memory(ctx, local, info.Name)
	case info.Context == 0 && d.Context == 0:
		d.note("", "the server does not report its context window, so aloud assumes %s tokens; "+
			"if that is wrong, set context = N in the configuration file", loop.Chat{}.With(info).Window())
	}
}

// describeModel describes a model on one line: "qwen3:8b · 8.2B · Q4_K_M · tools 41/48 · context window up to 40960".
// right and asked are those of aloud eval.
func describeModel(i provider.Info, right, asked int) string {
	words := []string{i.Name, i.Params, i.Quant}
	switch {
	case i.Tools && asked > 0:
		words = append(words, fmt.Sprintf("tools %d/%d", right, asked))
	case i.Tools:
		words = append(words, "tools")
	}
	if i.Context > 0 {
		words = append(words, fmt.Sprintf("context window up to %d", i.Context))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// memory reports how much of the model is on the GPU, and the context window it was loaded with.
func (d *doctor) memory(ctx context.Context, client *ollama.Client, model string) {
	l, err := client.InMemory(ctx, model)
	if err != nil {
		d.note("memory", "%s", err)
		return
	}
	if l.Name == "" {
		d.fine("memory", "not loaded; your first message loads it")
		return
	}
	gpu := int(100 * l.OnGPU())
	d.fine("memory", "loaded with a context window of %d tokens, %d%% on the GPU", l.Context, gpu)
	if gpu > 0 && gpu < 100 {
		d.more("the part on the CPU makes it slow; use a smaller context window or model")
	}
}

// servers starts every MCP server once.
func (d *doctor) servers(ctx context.Context) {
	board := new(servers.Board)
	set, closeTools := startTools(ctx, d.Config, servers.Options{Board: board})
	defer closeTools()
	required := set.Ready(ctx)
	for _, s := range board.Servers() {
		_ = set.Offering(ctx, s.Name) // fetches all lists; the board has the errors
	}
	if ctx.Err() != nil {
		return
	}
	for _, s := range board.Servers() {
		switch s.State {
		case mcpclient.ServerReady:
			d.fine(s.Name, "%s", describeServer(s))
		case mcpclient.ServerOff:
			d.line("-", s.Name, "turned off: %s", s.Detail)
		case mcpclient.ServerNeedsLogin:
			d.note(s.Name, "needs a login: %s", s.Detail)
			d.more(describeServer(s))
		default:
			d.note(s.Name, "%s", s.Detail)
			for _, line := range s.Stderr {
				d.more(line)
			}
		}
	}
	if required != nil {
		d.broken(1, "servers", required)
	}
}

// terminal describes the terminal. Without one a chat works line by line.
func (d *doctor) terminal() {
	width, height, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		d.note("terminal", "standard output is not a terminal; a chat works line by line")
		return
	}
	colors := colorprofile.Detect(os.Stdout, os.Environ())
	d.fine("terminal", "%s, %d×%d, colors: %s", cmp.Or(os.Getenv("TERM"), "TERM is not set"), width, height, colors)
}
