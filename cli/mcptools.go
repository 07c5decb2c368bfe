package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
)

// listedTool is a tool as `aloud mcp tools --output json` prints it.
type listedTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	ReadOnly    bool            `json:"read_only"`
	Tokens      int             `json:"tokens"` // in every request, an estimate
	Schema      json.RawMessage `json:"schema"`
}

// toolsOf lists the tools of a server; "" means all.
func toolsOf(set *servers.Set, server string) []listedTool {
	list := []listedTool{}
	for _, t := range set.Tools() {
		if server == "" || server == t.Server {
			title := mcpclient.Title(t.Title, t.ServerTool)
			tokens := provider.SpecOf(t).Tokens()
			list = append(list, listedTool{t.Name, t.Server, t.ServerTool, title, t.Description, t.ReadOnly, tokens, t.Schema})
		}
	}
	return list
}

// listTools prints the tools and their share of the context window. fixed is the configured context window, 0 if unset.
func listTools(cmd *cobra.Command, tools []listedTool, fixed int, output string) error {
	if output == "json" {
		return printJSON(cmd, tools)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	sum := 0
	for _, t := range tools {
		sum += t.Tokens
		server, tool, title := sanitize.Line(t.Server), sanitize.Line(t.Tool), sanitize.Line(t.Title)
		fmt.Fprintf(w, "%s\t%s\t%s\tabout %6d tokens\n", server, tool, title, t.Tokens)
	}
	window := loop.Chat{Context: fixed}.Window()
	fmt.Fprintf(w, "\n%s: about %d tokens, %d%% of a context window of %s tokens\n",
		quantity.Plural(len(tools), "tool"), sum, sum*100/max(window.Tokens, 1), window)
	return failure(w.Flush())
}
