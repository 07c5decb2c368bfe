package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func statsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "stats", Short: "Say how turns went: rounds, tools, times", Args: words(0, 0),
		Long: "Say how turns went, model by model: how they ended, how many tool rounds they took, which tools failed, and where the time went. " +
			"It is counted from the conversations on this machine and sent nowhere.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := openSessions()
			if err != nil {
				return err
			}
			stats, err := store.Stats()
			switch {
			case output == "json":
				if printed := printJSON(cmd, stats); printed != nil {
					return printed
				}
			case stats.Turns > 0:
				fmt.Fprint(cmd.OutOrStdout(), stats.Text())
			case err == nil:
				fmt.Fprintln(cmd.ErrOrStderr(), "no turns yet")
			}
			return failure(err)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}
