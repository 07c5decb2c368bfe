package cli

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// listedTool is a tool as `aloud mcp tools --output json` prints it.
type listedTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	ReadOnly    bool            `json:"read_only"`
	Tokens      int             `json:"tokens"` // of the context in every request, an estimate
	Schema      json.RawMessage `json:"schema"`
}

// toolsOf lists the tools of a server; "" means all.
func toolsOf(set *mcpclient.Set, server string) []listedTool {
	list := []listedTool{}
	for _, t := range set.Tools() {
		if server == "" || server == t.Server {
			title := mcpclient.Title(t.Title, t.ServerTool)
			list = append(list, listedTool{t.Name, t.Server, t.ServerTool, title, t.Description, t.ReadOnly, provider.ToolTokens(t), t.Schema})
		}
	}
	return list
}

// listTools prints the tools and their share of the context. fixed is the configured context; 0 means the one with
// which chats begin.
func listTools(cmd *cobra.Command, tools []listedTool, fixed int, output string) error {
	if output == "json" {
		return printJSON(cmd, tools)
	}
	if len(tools) == 0 {
		return nil
	}
	window := (&provider.Chat{Context: fixed}).Window()
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, t := range tools {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", sanitize.Line(t.Server), sanitize.Line(t.Tool), sanitize.Line(t.Title), cost(t.Tokens, window))
	}
	fmt.Fprintln(w)
	for n := 0; n < len(tools); { // they are sorted by server
		sum, from := 0, n
		for ; n < len(tools) && tools[n].Server == tools[from].Server; n++ {
			sum += tools[n].Tokens
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", sanitize.Line(tools[from].Server), quantity.Plural(n-from, "tool"), cost(sum, window))
	}
	sum := 0
	for _, t := range tools {
		sum += t.Tokens
	}
	fmt.Fprintf(w, "together\t%s\t%s\n\n", quantity.Plural(len(tools), "tool"), cost(sum, window))
	whose := "with which chats begin"
	if fixed > 0 {
		whose = "that the configuration sets"
	}
	fmt.Fprintf(w, "Percent are those of the context of %d tokens %s.\n", window, whose)
	return failure(w.Flush())
}

// cost is "412 tokens  5%", in columns.
func cost(tokens, window int) string {
	percent := fmt.Sprintf("%d%%", (tokens*100+window/2)/max(window, 1))
	if percent == "0%" && tokens > 0 {
		percent = "<1%"
	}
	return fmt.Sprintf("%6d tokens  %4s", tokens, percent)
}
