package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/openai"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/repair"
)

// startTools starts the configured servers as a chat does, because some servers offer other tools to a program that
// shares no folders or cannot be asked. The returned function ends them.
func startTools(ctx context.Context, cfg *config.Config, options servers.Options) (*servers.Set, func()) {
	if options.Host == nil {
		options.Host = elicit.NewInbox(false)
	}
	options.Roots, _ = rootsOf(nil) // the current folder never fails
	return startServers(ctx, cfg, options)
}

// newModel makes the client of the model server, without a request.
func newModel(cfg *config.Config) (provider.Model, error) {
	p := cfg.Chosen()
	switch p.Type {
	case config.TypeDemo:
		return demo.New(), nil
	case config.TypeOpenAI:
		client, err := openai.New(openai.Options{
			BaseURL: p.Address(), Key: p.Key, Headers: p.Headers, CAFile: p.CAFile, Secrets: cfg.Secrets(),
			File: shortPath(cfg.Path),
		})
		if err != nil {
			return nil, usage(fmt.Sprintf("cannot use the provider %q: %v", p.Name, err), "see: aloud config show")
		}
		return client, nil
	}
	client, err := ollama.New(p.Address())
	if err != nil {
		return nil, usage(err.Error(), "write: http://127.0.0.1:11434")
	}
	return client, nil
}

// demoServers returns the server of the demo's questions, and none for other models or if you have one of that name.
func demoServers(cfg *config.Config) []mcpclient.Server {
	const name = "shop"
	isShop := func(s config.Server) bool { return s.Name == name }
	if cfg.Chosen().Type != config.TypeDemo || slices.ContainsFunc(cfg.Servers, isShop) {
		return nil
	}
	shop, err := builtin.Shop()
	if err != nil {
		return []mcpclient.Server{{Name: name, Broken: err}}
	}
	return []mcpclient.Server{{Name: name, BuiltIn: name, Trusted: true, Local: shop, Insider: shop}}
}

// newChat joins the parts of a chat.
func newChat(cfg *config.Config, model provider.Model, tools mcpclient.Tools) loop.Chat {
	name, isDemo := cfg.Model, cfg.Chosen().Type == config.TypeDemo
	if isDemo {
		name = demo.Name
	}
	approval := mcpclient.Approval(cfg.Approval.Mode)
	always := func(pattern string) error {
		if isDemo { // a rule for the shop would allow the tools of another server of that name
			return errors.New("the demo changes no configuration")
		}
		return config.Allow(cfg.Path, os.LookupEnv, pattern)
	}
	return loop.Chat{
		Model:  model,
		Name:   name,
		Tools:  tools,
		Policy: mcpclient.NewPolicy(approval, cfg.Approval.Allow, cfg.Approval.Deny, always),
		Log:    slog.Default(),
		Repair: repair.New(),
		Limits: loop.Limits{
			Iterations:        cfg.Limits.Iterations,
			ConsecutiveErrors: cfg.Limits.ConsecutiveErrors,
			TotalTime:         cfg.Limits.TotalTime,
			Silence:           cfg.Limits.Silence,
			ThinkingTokens:    cfg.Limits.ThinkingTokens,
		},
		Think:       provider.Think(cfg.Think),
		Context:     cfg.Context,
		System:      cfg.System,
		NoPrompt:    cfg.SystemPrompt == "none",
		StatusModel: cfg.Status.Model,
	}
}

// modelsFile is in the state folder and has what is known of models.
const modelsFile = "models.json"

// paceOf returns what is known of the models on their server, nil for the demo. It is read from the state folder unless
// that is "", and with save also saved there.
func paceOf(cfg *config.Config, model provider.Model, stateDir string, save bool) *pace.Store {
	server, ok := model.(interface{ Address() string })
	if !ok {
		return nil
	}
	path := ""
	if stateDir != "" {
		path = filepath.Join(stateDir, modelsFile)
	}
	store := pace.Open(path, cfg.Mask(server.Address()))
	store.ReadOnly = !save
	return store
}

// rootsOf returns the folders that servers may work in: those of --root, or the current one.
func rootsOf(folders []string) ([]elicit.Root, error) {
	var roots []elicit.Root
	for _, folder := range folders {
		root, err := elicit.RootOf(config.InHome(folder, os.LookupEnv))
		if err != nil {
			return nil, usage(err.Error(), "write: --root ~/project")
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if len(folders) > 0 {
		return roots, nil
	}
	if here, err := elicit.RootOf("."); err == nil { // it may have been removed
		roots = append(roots, here)
	}
	return roots, nil
}
