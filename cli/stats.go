package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider/pace"
)

// learnedRounds returns what limits.iterations = "auto" means, by model.
func learnedRounds() (map[string][]pace.Rounds, error) {
	state, err := config.StateDir(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return pace.Learned(filepath.Join(state, modelsFile))
}

func statsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "stats", Short: "Show statistics about your turns", Args: argCount(0, 0),
		Long: "Show statistics for each model: how turns ended, how many tool rounds they took, which tools failed, and " +
			"where the time went. They are computed from your saved conversations and are not sent anywhere.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := openSessions()
			if err != nil {
				return err
			}
			stats, err := store.Stats()
			learned, unread := learnedRounds()
			for _, m := range stats.Models {
				m.Auto = learned[m.Model]
			}
			err = errors.Join(err, unread)
			switch {
			case output == "json":
				if printed := printJSON(cmd, stats); printed != nil {
					return printed
				}
			case stats.Turns > 0:
				fmt.Fprint(cmd.OutOrStdout(), stats.Text())
			case err == nil:
				fmt.Fprintln(cmd.ErrOrStderr(), "No turns yet")
			}
			return failure(err)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}
