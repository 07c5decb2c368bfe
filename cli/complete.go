package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
)

// completeWithin is the longest time for the values that a shell completes, which come from servers that may be down.
const completeWithin = 2 * time.Second

// values returns what may follow the words of a command, each with a tab and a description or without.
type values func(ctx context.Context, cmd *cobra.Command, words []string) []string

// complete returns the function that completes values. It writes nothing, and errors mean that there are no values.
func complete(list values) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, typed string) (fit []string, _ cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
		defer cancel()
		for _, value := range list(ctx, cmd, words) {
			name, about, _ := strings.Cut(value, "\t")
			if isBare(name) && strings.HasPrefix(name, typed) {
				fit = append(fit, strings.TrimSuffix(name+"\t"+bare(about), "\t"))
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// isBare reports whether a name means itself in every shell. Others are not offered, because servers choose names.
func isBare(name string) bool {
	return name != "" && bare(name) == name && !strings.Contains(name, " ") && name[0] != '-'
}

// bare removes all but letters, digits and a few marks, and shortens the text.
func bare(text string) string {
	const longest = 60
	var kept []rune
	for _, r := range text {
		isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if isLetter || strings.ContainsRune(" ._:/@+-", r) {
			kept = append(kept, r)
		}
	}
	if len(kept) > longest && strings.Contains(text, " ") {
		kept = kept[:longest]
	}
	return strings.TrimSpace(string(kept))
}

// fixed completes one of some values.
func fixed(all ...string) values {
	return func(context.Context, *cobra.Command, []string) []string { return all }
}

// shells tells how each shell loads its script.
var shells = map[string]string{
	"bash": "# with the package bash-completion, in ~/.bashrc\nsource <(aloud completion bash)",
	"fish": "aloud completion fish >~/.config/fish/completions/aloud.fish",
	"powershell": "# in the file that $PROFILE names\n" +
		"aloud completion powershell | Out-String | Invoke-Expression",
	"zsh": "# in ~/.zshrc, after \"autoload -U compinit; compinit\"\nsource <(aloud completion zsh)",
}

// addCompletions adds the commands that print the scripts, and sets what completes the values of flags and the words
// after commands.
func addCompletions(root *cobra.Command, f *flags) {
	root.InitDefaultCompletionCmd()
	scripts, _, _ := root.Find([]string{"completion"})
	scripts.Use, scripts.Long = "completion SHELL", ""
	scripts.Short = "Print the script that completes commands, flags and values in a shell"
	for _, cmd := range scripts.Commands() {
		cmd.Short, cmd.Long, cmd.Example = "Print the script for "+cmd.Name(), "", shells[cmd.Name()]
	}
	for name, with := range map[string]values{
		"model": f.modelNames, "provider": f.providerNames, "resume": sessionIDs,
	} {
		_ = root.RegisterFlagCompletionFunc(name, complete(with)) // fails only for an unknown flag
	}
	for path, with := range map[string]values{
		"eval": f.modelNames, "mcp call": f.toolNames, "mcp tools": f.serverNames, "mcp remove": f.serverNames,
		"mcp login": f.serverNames, "mcp logout": f.serverNames, "sessions show": sessionIDs, "sessions export": sessionIDs,
		"sessions trace": sessionIDs, "sessions rename": sessionIDs, "sessions rm": sessionIDs,
	} {
		cmd, _, _ := root.Find(strings.Fields(path))
		cmd.ValidArgsFunction = complete(with)
	}
}

// describeFlags reads the help of the flags of a command and those below it: it removes the quotes around the name of a
// value, which a shell would show, and completes values that the help lists or that are folders.
func describeFlags(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		var value string
		switch value, f.Usage = pflag.UnquoteUsage(f); value {
		case "DIR":
			_ = cmd.MarkFlagDirname(f.Name) // fails only for an unknown flag
		case "FORMAT", "MODE":
			_, all, _ := strings.Cut(f.Usage, ": ")
			words := strings.Fields(strings.NewReplacer(",", "", " or ", " ").Replace(all))
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete(fixed(words...)))
		}
	})
	for _, c := range cmd.Commands() {
		describeFlags(c)
	}
}

func (f *flags) modelNames(ctx context.Context, cmd *cobra.Command, _ []string) (names []string) {
	cfg, err := loadConfig(cmd, *f)
	if err != nil {
		return nil
	}
	model, err := newModel(cfg)
	library, ok := model.(provider.Library)
	if err != nil || !ok {
		return nil
	}
	all, _ := library.List(ctx)
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

func (f *flags) providerNames(_ context.Context, cmd *cobra.Command, _ []string) []string {
	names := []string{config.TypeOllama, config.TypeOpenAI, config.TypeDemo}
	if cfg, err := loadConfig(cmd, *f); err == nil {
		for _, p := range cfg.Providers {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sessionIDs returns the ids of the saved conversations with their names. Only rm takes more than one.
func sessionIDs(_ context.Context, cmd *cobra.Command, words []string) (ids []string) {
	store, err := openSessions()
	if err != nil || len(words) > 0 && cmd.Name() != "rm" {
		return nil
	}
	all, _ := store.List()
	for _, info := range all {
		if !slices.Contains(words, info.ID) {
			ids = append(ids, info.ID+"\t"+info.Title)
		}
	}
	return ids
}

// serverNames returns the configured servers.
func (f *flags) serverNames(_ context.Context, cmd *cobra.Command, words []string) (names []string) {
	cfg, err := loadConfig(cmd, *f)
	if err != nil || len(words) > 0 {
		return nil
	}
	for _, s := range cfg.Servers {
		names = append(names, s.Name)
	}
	return names
}

// toolNames returns the servers, and then the tools of one, which is the only one that is started.
func (f *flags) toolNames(ctx context.Context, cmd *cobra.Command, words []string) (names []string) {
	if len(words) != 1 {
		return f.serverNames(ctx, cmd, words)
	}
	cfg, err := loadConfig(cmd, *f)
	if err != nil {
		return nil
	}
	cfg.Servers = slices.DeleteFunc(cfg.Servers, func(s config.Server) bool { return s.Name != words[0] })
	set, closeTools := startTools(ctx, cfg, servers.Options{Board: new(servers.Board)})
	defer closeTools()
	_ = set.Ready(ctx) // without its tools, nothing is offered
	for _, t := range set.Tools() {
		names = append(names, t.ServerTool+"\t"+t.Title)
	}
	return names
}
