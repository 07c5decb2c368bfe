package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/sanitize"
)

// loadConfig puts the command line over environment and file.
func loadConfig(cmd *cobra.Command, f flags) (*config.Config, error) {
	return config.Load(config.LoadOptions{Path: f.config, Env: os.LookupEnv, Flags: config.Flags{
		Demo: f.demo, Yes: f.yes, NoTools: f.noTools,
		Model: given(cmd, "model", f.model), Provider: given(cmd, "provider", f.provider), Host: given(cmd, "host", f.host),
		System: given(cmd, "system", f.system), Think: given(cmd, "think", f.think), MaxIterations: given(cmd, "max-iterations", f.maxIter),
		MaxErrors: given(cmd, "max-errors", f.maxErr), MaxTime: given(cmd, "max-time", f.maxTime),
	}})
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

// given returns the value of a flag, or nil if the flag was not given.
func given[T any](cmd *cobra.Command, name string, value T) *T {
	if !cmd.Flags().Changed(name) {
		return nil
	}
	return &value
}

func configCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Find, make, check or show the configuration"}
	cmd.AddCommand(
		&cobra.Command{
			Use: "path", Short: "Print where the configuration file is looked for", Args: words(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				path, err := configPath(*f)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), sanitize.Visible(path))
				}
				return err
			},
		},
		&cobra.Command{
			Use: "init", Short: "Write an example configuration file, with everything explained", Args: words(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				path, err := configPath(*f)
				if err != nil {
					return err
				}
				if err := config.Init(path); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), sanitize.Visible(path))
				return nil
			},
		},
		&cobra.Command{
			Use: "check", Short: "Check the configuration file", Args: words(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				cfg, err := loadConfig(cmd, *f)
				if err != nil {
					return err
				}
				if cfg.Path == "" {
					fmt.Fprintln(cmd.OutOrStdout(), "there is no file, and no home folder to look for one; the defaults are used")
					return nil
				}
				if _, err := os.Stat(cfg.Path); err != nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s does not exist; the defaults are used\n", sanitize.Line(cfg.Path))
					return nil
				}
				var unset []error
				for _, s := range cfg.Servers {
					if s.Enabled {
						unset = append(unset, s.Unset)
					}
				}
				if err := errors.Join(unset...); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is fine\n", sanitize.Line(cfg.Path))
				return nil
			},
		},
		&cobra.Command{
			Use: "show", Short: "Show what is in force and where each value comes from; secrets are masked", Args: words(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				cfg, err := loadConfig(cmd, *f)
				if err == nil {
					fmt.Fprint(cmd.OutOrStdout(), config.Show(cfg))
				}
				return err
			},
		},
	)
	return cmd
}

func configPath(f flags) (string, error) {
	if f.config != "" {
		return f.config, nil
	}
	return config.Path(os.LookupEnv)
}
