package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/session"
)

func statsCommand() *cobra.Command {
	var model, since, output string
	cmd := &cobra.Command{
		Use: "stats", Short: "Say how turns went: rounds, tools, times", Args: words(0, 0),
		Long: "Say how turns went, model by model: how they ended, how many tool rounds they took, which tools failed, and where the time went. " +
			"It is counted from the conversations on this machine and sent nowhere.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			which := session.StatsFilter{Model: model}
			if since != "" {
				ago, err := parseAgo(since)
				if err != nil || ago < 0 {
					return usage(fmt.Sprintf("--since is %q", since), "it must be a time that has passed, for example 30d or 12h")
				}
				which.Since = time.Now().Add(-ago)
			}
			return printStats(cmd, which, output)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "only this model")
	cmd.Flags().StringVar(&since, "since", "", "only turns of the last days or hours, for example 30d or 12h")
	outputFlag(cmd, &output)
	return cmd
}

func printStats(cmd *cobra.Command, which session.StatsFilter, output string) error {
	store, err := openSessions()
	if err != nil {
		return err
	}
	stats, err := store.Stats(which)
	switch {
	case output == "json":
		if printed := printJSON(cmd, stats); printed != nil {
			return printed
		}
	case stats.Turns > 0:
		fmt.Fprintln(cmd.OutOrStdout(), stats.Text())
	case err == nil:
		fmt.Fprintln(cmd.ErrOrStderr(), "no turns yet")
	}
	return failure(err)
}

// parseAgo reads a duration that may also be in days.
func parseAgo(text string) (time.Duration, error) {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.Atoi(days)
		return time.Duration(max(-1, min(n, 36500))) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}
