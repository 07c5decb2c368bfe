package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/mcpclient/conformance"
)

// conformanceCommand is for the conformance suite of the Model Context Protocol, which tells the scenario in the environment.
func conformanceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "conformance url", Short: "Use the server of a conformance scenario", Hidden: true, Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return asFailure(conformance.Play(cmd.Context(), conformance.Scenario{
				Name: os.Getenv("MCP_CONFORMANCE_SCENARIO"), URL: args[0],
				Protocol: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"), Context: os.Getenv("MCP_CONFORMANCE_CONTEXT"),
			}, cmd.OutOrStdout()))
		},
	}
}
