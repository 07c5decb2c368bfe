package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui"
)

// loadConfig loads the configuration. Flags override the environment and the file.
func loadConfig(cmd *cobra.Command, f flags) (*config.Config, error) {
	given := map[string]string{}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		// A subcommand's own flag may have the name of a setting, such as --yes of mcp import.
		if !cmd.HasParent() || cmd.InheritedFlags().Lookup(flag.Name) != nil {
			given[flag.Name] = flag.Value.String()
		}
	})
	if f.moved != nil {
		moveTo(f.moved.Place, given)
	}
	return config.Load(config.LoadOptions{Path: f.config, Env: os.LookupEnv, Flags: given, Bind: ui.Bind})
}

// withConfig opens the log, loads the configuration and calls do.
func withConfig(cmd *cobra.Command, f flags, do func(*config.Config) error) error {
	closeLog, err := openLog(f.log)
	if err != nil {
		return err
	}
	defer closeLog()
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	return do(cfg)
}

func configCommand(f *flags) *cobra.Command {
	all := &cobra.Command{Use: "config COMMAND", Short: "Create, check and show the configuration"}
	add := func(use, short string, text func(*cobra.Command) (string, error)) {
		run := func(cmd *cobra.Command, _ []string) error {
			text, err := text(cmd)
			fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		}
		all.AddCommand(&cobra.Command{Use: use, Short: short, Args: argCount(0, 0), RunE: run})
	}
	add("path", "Print the path of the configuration file", func(*cobra.Command) (string, error) {
		path, err := config.Path(f.config, os.LookupEnv)
		if err != nil {
			return "", err
		}
		return sanitize.Visible(path) + "\n", nil
	})
	add("init", "Create a configuration file that explains every key", func(*cobra.Command) (string, error) {
		path, err := config.Path(f.config, os.LookupEnv)
		if err == nil {
			err = config.Init(path)
		}
		if err != nil {
			return "", err
		}
		return sanitize.Visible(path) + "\n", nil
	})
	add("check", "Check the configuration file", func(cmd *cobra.Command) (string, error) {
		cfg, err := loadConfig(cmd, *f)
		if err != nil {
			return "", err
		}
		place, exists := configPlace(cfg)
		if !exists {
			return place + "\n", nil
		}
		var unset []error
		for _, s := range cfg.Servers {
			if s.Enabled {
				unset = append(unset, s.Broken)
			}
		}
		if err := errors.Join(unset...); err != nil {
			return "", err
		}
		return sanitize.Line(place) + " is valid\n", nil
	})
	add("show", "Show all settings and where they come from, secrets masked", func(cmd *cobra.Command) (string, error) {
		cfg, err := loadConfig(cmd, *f)
		if err != nil {
			return "", err
		}
		return config.Show(cfg), nil
	})
	return all
}

// configPlace returns the path of the configuration file, or a sentence that says it does not exist.
func configPlace(cfg *config.Config) (place string, exists bool) {
	if cfg.Path == "" {
		return "no configuration file, because the home folder is unknown; using the defaults", false
	}
	if _, err := os.Stat(cfg.Path); err != nil {
		return sanitize.Line(cfg.Path) + " does not exist; using the defaults", false
	}
	return cfg.Path, true
}
