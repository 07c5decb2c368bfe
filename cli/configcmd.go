package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/sanitize"
)

// loadConfig puts the command line over environment and file.
func loadConfig(cmd *cobra.Command, f flags) (*config.Config, error) {
	given := map[string]string{}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !cmd.HasParent() || cmd.InheritedFlags().Lookup(flag.Name) != nil { // others have names of their own: mcp import --yes
			given[flag.Name] = flag.Value.String()
		}
	})
	return config.Load(config.LoadOptions{Path: f.config, Env: os.LookupEnv, Flags: given})
}

// withConfig loads the configuration for do, and writes the log of what do does.
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
	all := &cobra.Command{Use: "config", Short: "Find, make, check or show the configuration"}
	add := func(use, short string, text func(*cobra.Command) (string, error)) {
		all.AddCommand(&cobra.Command{Use: use, Short: short, Args: words(0, 0), RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := text(cmd)
			fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		}})
	}
	add("path", "Print where the configuration file is looked for", func(*cobra.Command) (string, error) {
		path, err := configPath(*f)
		if err != nil {
			return "", err
		}
		return sanitize.Visible(path) + "\n", nil
	})
	add("init", "Write an example configuration file, with everything explained", func(*cobra.Command) (string, error) {
		path, err := configPath(*f)
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
				unset = append(unset, s.Unset)
			}
		}
		if err := errors.Join(unset...); err != nil {
			return "", err
		}
		return sanitize.Line(place) + " is fine\n", nil
	})
	add("show", "Show what is in force and where each value comes from; secrets are masked", func(cmd *cobra.Command) (string, error) {
		cfg, err := loadConfig(cmd, *f)
		if err != nil {
			return "", err
		}
		return config.Show(cfg), nil
	})
	return all
}

// configPlace is the path of the configuration file, or a sentence that says it does not exist.
func configPlace(cfg *config.Config) (place string, exists bool) {
	if cfg.Path == "" {
		return "there is no file, and no home folder to look for one; the defaults are used", false
	}
	if _, err := os.Stat(cfg.Path); err != nil {
		return sanitize.Line(cfg.Path) + " does not exist; the defaults are used", false
	}
	return cfg.Path, true
}

func configPath(f flags) (string, error) {
	if f.config != "" {
		return f.config, nil
	}
	return config.Path(os.LookupEnv)
}
