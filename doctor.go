package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/openai"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// serverPatience bounds how long doctor waits for a model server that accepts connections and says nothing.
const serverPatience = 10 * time.Second

func doctorCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check everything a chat needs; exit code 0 only when one would work", Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			closeLog, err := openLog(f.log) // without one what the servers do would be written between the findings
			if err != nil {
				return err
			}
			defer closeLog()
			cfg, err := loadConfig(cmd, *f)
			if err != nil {
				return err
			}
			d := &doctor{out: cmd.OutOrStdout(), mask: cfg.Mask}
			d.configuration(cfg)
			d.model(cmd.Context(), cfg)
			d.servers(cmd.Context(), cfg)
			if cmd.Context().Err() != nil {
				return exitError(130)
			}
			d.terminal()
			return exit(d.code)
		},
	}
}

// doctor prints a line for each thing it looks at and remembers whether a chat would work.
type doctor struct {
	out  io.Writer
	mask func(string) string // hides the secrets of the configuration
	code int                 // 0: a chat would work; 3: no server or model; 1: something else that is needed
}

func (d *doctor) fine(what, format string, args ...any) { d.line("✓", what, format, args...) }
func (d *doctor) note(what, format string, args ...any) { d.line("!", what, format, args...) }

// broken is a finding without which no chat works.
func (d *doctor) broken(code int, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return // ctrl+c is no finding
	}
	d.line("✗", what, "%s", err)
	var model *provider.Error
	if errors.As(err, &model) && model.Hint != "" {
		d.more(model.Hint)
	}
	if d.code == 0 {
		d.code = code
	}
}

func (d *doctor) line(mark, what, format string, args ...any) {
	fmt.Fprintf(d.out, "%s %-10s %s\n", mark, sanitize.Line(what), sanitize.Line(d.mask(fmt.Sprintf(format, args...))))
}

func (d *doctor) more(text string) {
	fmt.Fprintf(d.out, "  %-10s %s\n", "", sanitize.Line(d.mask(text)))
}

func (d *doctor) configuration(cfg *config.Config) {
	if cfg.Path == "" {
		d.note("config", "no file, and no home folder to look for one; the defaults are used")
		return
	}
	if _, err := os.Stat(cfg.Path); err != nil {
		d.fine("config", "no file at %s, the defaults are used", cfg.Path)
		return
	}
	d.fine("config", "%s", cfg.Path)
}

// model looks at the server and the model that a chat would use.
func (d *doctor) model(ctx context.Context, cfg *config.Config) {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	model, err := newModel(cfg)
	if err != nil {
		d.broken(2, "server", err)
		return
	}
	switch client := model.(type) {
	case *ollama.Client:
		d.ollama(ctx, client, cfg)
	case *openai.Client:
		d.openAI(ctx, client, cfg)
	default:
		d.fine("model", "the built-in demo, no server needed")
	}
}

// ollama looks at an Ollama server, and at what it has in memory.
func (d *doctor) ollama(ctx context.Context, client *ollama.Client, cfg *config.Config) {
	version, err := client.Version(ctx)
	if err != nil {
		d.broken(3, "server", silent(err, client.Address(), "start ollama serve again, or name another server with --host"))
		return
	}
	d.fine("server", "Ollama %s at %s", version, client.Address())
	info, err := choose(ctx, client, cfg)
	if err != nil {
		d.broken(3, "model", err)
		return
	}
	d.fine("model", "%s", modelWords(info, "trained context"))
	if !info.Tools {
		d.note("", "it cannot use tools; a chat goes on without them")
	}
	d.memory(ctx, client, cfg, info)
}

// openAI looks at an OpenAI-compatible server: whether it answers, takes the key and has the model.
func (d *doctor) openAI(ctx context.Context, client *openai.Client, cfg *config.Config) {
	models, err := client.List(ctx)
	if err != nil {
		d.broken(3, "server", silent(err, client.Address(), "start it again, or name another with base_url or --host"))
		return
	}
	info, err := choose(ctx, client, cfg)
	d.fine("server", "%s at %s, models: %d", cmp.Or(client.Program(info.Name), "OpenAI's API"), client.Address(), len(models))
	if p := cfg.Chosen(); p.APIKeyEnv != "" {
		d.fine("key", "from the variable %s", p.APIKeyEnv)
	}
	if err != nil {
		d.broken(3, "model", err)
		return
	}
	d.fine("model", "%s", modelWords(info, "context"))
	switch {
	case client.Program(info.Name) == "Ollama":
		d.note("", "through this API Ollama chooses the context itself and drops what does not fit; the provider \"ollama\" sets it")
	case info.Context == 0 && cfg.Context == 0:
		d.note("", "the server does not tell its context; write it down as context = N")
	}
	if !info.Tools {
		d.note("", "it cannot use tools; a chat goes on without them")
	}
}

// silent is the error of a server that takes connections and says nothing; any other err stays as it is.
func silent(err error, address, hint string) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &provider.Error{Kind: provider.KindUnavailable, Err: err, Hint: hint,
		Text: fmt.Sprintf("the server at %q takes connections and says nothing for %v", address, serverPatience)}
}

// choose finds the model that a chat would use.
func choose(ctx context.Context, model provider.Model, cfg *config.Config) (provider.Info, error) {
	state, _ := config.StateDir(os.LookupEnv) // without one no model is remembered
	return provider.Choose(ctx, model, cfg.Model, config.LastModel(state, cfg.Provider))
}

// modelWords is a model on one line: "qwen3:8b · 8.2B · Q4_K_M · tools, thinking · trained context 40960".
func modelWords(i provider.Info, context string) string {
	words := []string{i.Name}
	for _, w := range []string{i.Params, i.Quant} {
		if w != "" {
			words = append(words, w)
		}
	}
	var can []string
	for _, c := range []struct {
		name string
		yes  bool
	}{{"tools", i.Tools}, {"thinking", i.Thinking}, {"vision", i.Vision}} {
		if c.yes {
			can = append(can, c.name)
		}
	}
	if len(can) > 0 {
		words = append(words, strings.Join(can, ", "))
	}
	if i.Context > 0 {
		words = append(words, fmt.Sprintf("%s %d", context, i.Context))
	}
	return strings.Join(words, " · ")
}

// memory tells how much of the model is where, and with what context it was loaded.
func (d *doctor) memory(ctx context.Context, client *ollama.Client, cfg *config.Config, info provider.Info) {
	wanted := "as the work needs"
	if cfg.Context > 0 {
		wanted = fmt.Sprint(cfg.Context)
	}
	loaded, err := client.Loaded(ctx)
	if err != nil {
		d.note("memory", "%s", err)
		return
	}
	for _, l := range loaded {
		if l.Name != info.Name && l.Name != info.Name+":latest" {
			continue
		}
		gpu := 0
		if l.Size > 0 {
			gpu = int(100 * min(max(float64(l.VRAM)/float64(l.Size), 0), 1)) // a server may say anything
		}
		d.fine("memory", "loaded with context %d (wanted: %s), %d%% on the GPU, %d%% on the CPU", l.Context, wanted, gpu, 100-gpu)
		if gpu > 0 && gpu < 100 {
			d.more("a part on the CPU makes it slow: a smaller context or model would fit the GPU")
		}
		if cfg.Context > 0 && l.Context != cfg.Context {
			d.more("the next question loads it again with the wanted context")
		}
		return
	}
	d.fine("memory", "not loaded now (wanted context: %s); the first question loads it", wanted)
}

// servers starts every MCP server once and tells how it went.
func (d *doctor) servers(ctx context.Context, cfg *config.Config) {
	board := new(status.Board)
	set, closeTools := startTools(ctx, cfg, mcpclient.Options{Board: board})
	defer closeTools()
	required := set.Ready(ctx)
	if ctx.Err() != nil {
		return
	}
	for _, s := range board.Servers() {
		_ = set.Offering(ctx, s.Name) // what is odd about its lists is told, too; why there are none is told anyway
	}
	for _, s := range afterStart(board) {
		switch s.State {
		case status.ServerReady:
			d.fine(s.Name, "%s", serverWords(s))
			d.junk(s.Stderr)
		case status.ServerOff:
			d.line("-", s.Name, "switched off: %s", s.Detail)
		case status.ServerNeedsLogin:
			d.note(s.Name, "needs a login: %s", s.Detail)
			d.more(serverWords(s))
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

const (
	junkMark = "stdout: " // is before it in the tail
	mostJunk = 3          // lines of it are worth showing
)

// junk tells what a server that works wrote to standard output besides messages: other programs end the connection over it.
func (d *doctor) junk(tail []string) {
	var lines []string
	for _, line := range tail {
		if text, ok := strings.CutPrefix(line, junkMark); ok {
			lines = append(lines, text)
		}
	}
	if len(lines) == 0 {
		return
	}
	d.more("what it wrote to standard output is not all messages; that belongs on standard error:")
	for _, line := range lines[:min(len(lines), mostJunk)] {
		d.more("  " + line)
	}
	if more := len(lines) - mostJunk; more > 0 {
		d.more(fmt.Sprintf("  and %d more", more))
	}
}

// terminal tells what the screen can do. Without one a chat still works line by line.
func (d *doctor) terminal() {
	if !term.IsTerminal(os.Stdout.Fd()) {
		d.note("terminal", "standard output is none; the chat works line by line")
		return
	}
	width, height, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		d.note("terminal", "its size is not known: %s", err)
		return
	}
	d.fine("terminal", "%s, %d×%d, colours: %s", cmp.Or(os.Getenv("TERM"), "TERM is not set"), width, height, colorprofile.Detect(os.Stdout, os.Environ()))
}
