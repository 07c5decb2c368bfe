package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/eval"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/pace"
)

// answersFile is in the state folder and has the answers of models to the questions of aloud eval.
const answersFile = "eval.json"

// evaluation is a run of aloud eval.
type evaluation struct {
	folder                string // of questions; "" means aloud's own
	without, quick, again bool
	output                string

	cfg       *config.Config
	model     provider.Model
	pace      *pace.Store
	all       []*eval.Question
	questions []*eval.Question // those to ask
	results   *eval.Results
	defences  []bool // of the columns of each model
}

func evalCommand(f *flags) *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use: "eval [MODEL]...", Short: "Find out which models can use tools",
		Long: "Ask models 48 questions of twelve kinds, check which tools they use and what comes of it, and print a " +
			"table with the best model first. Without MODEL, all models of Ollama that support tools and fit into the " +
			"memory are asked, the smallest first; of other servers, the model that a chat would use. Answers are kept: " +
			"stop at any time, and go on with the same command.",
		Example: `# all models
aloud eval

# a first impression of one model: one question of each kind
aloud eval --quick qwen3:8b

# your own questions, which use your servers
aloud eval --questions ./questions qwen3:8b`,
		PreRunE: func(*cobra.Command, []string) error {
			return oneOf("output format", e.output, "text", "json", "markdown")
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			return withConfig(cmd, *f, func(cfg *config.Config) error {
				if err := e.prepare(cfg); err != nil {
					return err
				}
				if cmd.Flags().Changed("model") {
					names = append(names, cfg.Model)
				}
				models, err := e.models(cmd.Context(), names)
				if err != nil {
					return err
				}
				return e.run(cmd, models)
			})
		},
	}
	cmd.Flags().StringVar(&e.folder, "questions", "", "ask the questions in the TOML files of `DIR`")
	cmd.Flags().BoolVar(&e.quick, "quick", false, "ask only one question of each kind")
	cmd.Flags().BoolVar(&e.again, "again", false, "ask also what was answered before")
	cmd.Flags().BoolVar(&e.without, "without-defences", false, "ask also without the repair of replies")
	cmd.Flags().StringVar(&e.output, "output", "text", "`FORMAT` of the output: text, json or markdown")
	return cmd
}

// prepare reads the questions and the kept answers.
func (e *evaluation) prepare(cfg *config.Config) (err error) {
	e.cfg = cfg
	if e.all, err = eval.Questions(); e.folder != "" {
		e.all, err = eval.Load(os.DirFS(e.folder))
	}
	if err != nil {
		return usage(fmt.Sprintf("cannot read the questions in %q: %v", e.folder, err), "see docs/eval.md")
	}
	for _, q := range e.all {
		for _, name := range q.Configured() {
			if !slices.ContainsFunc(cfg.Servers, func(s config.Server) bool { return s.Name == name && s.Enabled }) {
				return usage(fmt.Sprintf("%q needs the server %q, which is not configured", q.Name, name), "see: aloud mcp list")
			}
		}
	}
	if e.defences = []bool{true}; e.without {
		e.defences = append(e.defences, false)
	}
	if e.questions = e.all; e.quick {
		e.questions = e.all[:eval.Kinds(e.all)]
	}
	if e.model, err = newModel(cfg); err != nil {
		return err
	}
	path, address := "", "demo"
	state, err := config.StateDir(os.LookupEnv)
	if err == nil { // else nothing is kept
		path = filepath.Join(state, answersFile)
	}
	e.pace = paceOf(cfg, e.model, state, true)
	if server, ok := e.model.(interface{ Address() string }); ok {
		address = cfg.Mask(server.Address())
	}
	if client, ok := e.model.(*ollama.Client); ok {
		client.Pace = e.pace
	}
	e.results, err = eval.Open(path, address)
	return failure(err)
}

// server returns a configured server, and a function that ends it.
func (e *evaluation) server(name string) (mcpclient.Server, func()) {
	i := slices.IndexFunc(e.cfg.Servers, func(s config.Server) bool { return s.Name == name }) // was checked
	s := makeServer(e.cfg.Servers[i], ownFiles(e.cfg.Path))
	return s, func() { closeLocal(s) }
}

// models describes the models with these names, or without any those to ask.
func (e *evaluation) models(ctx context.Context, names []string) (models []provider.Info, err error) {
	client, isOllama := e.model.(*ollama.Client)
	given := len(names) > 0
	switch {
	case given:
	case !isOllama:
		state, _ := config.StateDir(os.LookupEnv) // without it the last model is unknown
		info, err := provider.Choose(ctx, e.model, e.cfg.Model, config.LastModel(state, e.cfg.Provider))
		return []provider.Info{info}, err
	default:
		listed, err := client.List(ctx)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(listed, func(a, b provider.Info) int { return cmp.Compare(a.Size, b.Size) })
		for _, m := range listed {
			if !m.Remote && !m.TooLarge {
				names = append(names, m.Name)
			}
		}
	}
	for _, name := range names {
		info, err := e.model.Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		isNew := !slices.ContainsFunc(models, func(m provider.Info) bool { return m.Name == info.Name })
		if isNew && (given || info.Tools) {
			models = append(models, info)
		}
	}
	if len(models) == 0 {
		return nil, problem{3, errors.New("no installed model supports tools"), "download one with: ollama pull qwen3:8b"}
	}
	return models, nil
}

// task is a question for a model.
type task struct {
	model    provider.Info
	question *eval.Question
	defences bool
}

// tasks returns what is not answered yet. Every model is asked one question of each kind before the next ones.
func (e *evaluation) tasks(models []provider.Info) (list []task) {
	for lap := range slices.Chunk(e.questions, eval.Kinds(e.questions)) {
		for _, m := range models {
			for _, defences := range e.defences {
				for _, q := range lap {
					if a, known := e.results.Find(m.Name, q, defences); !known || a.Skipped != "" || e.again {
						list = append(list, task{m, q, defences})
					}
				}
			}
		}
	}
	return list
}

// run asks what is not answered yet, and prints the table of what is answered.
func (e *evaluation) run(cmd *cobra.Command, models []provider.Info) error {
	stopped := e.ask(cmd, e.tasks(models))
	var columns []eval.Column
	for _, m := range models {
		chat, fits := newChat(e.cfg, e.model, nil), 0
		if chat.Context = 0; m.Context > 0 { // else it is a guess
			fits = chat.With(m).AttachLimits()(cmd.Context()).Window
		}
		for _, defences := range e.defences {
			c := e.results.ColumnOf(m.Name, defences, e.questions)
			if c.Advise(m, fits, m.Uncut || e.pace.CostlyAsides(m.Name)); len(c.Answers) > 0 {
				columns = append(columns, c)
			}
		}
	}
	eval.Rank(columns)
	if err := e.print(cmd, columns); err != nil {
		return err
	}
	if errors.Is(stopped, context.Canceled) {
		return exit(130)
	}
	return failure(stopped)
}

// print prints the table and what follows from it.
func (e *evaluation) print(cmd *cobra.Command, columns []eval.Column) error {
	if e.output == "json" {
		return printJSON(cmd, map[string]any{"models": append([]eval.Column{}, columns...)})
	}
	out := cmd.OutOrStdout()
	columns = slices.DeleteFunc(columns, func(c eval.Column) bool { return c.Asked == 0 })
	switch {
	case len(columns) == 0:
	case e.output == "markdown":
		fmt.Fprintf(out, "%s\n```toml\n%s```\n", sanitize.Text(eval.Markdown(columns)), sanitize.Text(columns[0].Suggest))
	default:
		fmt.Fprintf(out, "\n%s\nSettings for %s:\n\n%s", eval.Table(columns, widthOf(os.Stdout)),
			sanitize.Line(columns[0].Model), sanitize.Text(columns[0].Suggest))
	}
	return nil
}
