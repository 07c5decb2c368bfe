package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

func mcpCallCommand(f *flags) *cobra.Command {
	var output, images string
	cmd := &cobra.Command{
		Use: "call SERVER TOOL [ARGUMENTS]", Short: "Call a tool and print its result", Args: argCount(2, 3),
		Long: "Call a tool without asking for approval, and print the result as a model would read it. The arguments are a " +
			"JSON object, or - to read one from standard input. Progress and problems go to standard error. Requests " +
			"of the server for input are declined. The exit code is 1 if the tool failed and 130 if you stopped it.",
		Example: `aloud mcp call clock now '{"zone":"Asia/Tokyo"}'
aloud mcp call clock now - < arguments.json
aloud mcp call --output json --log wire.jsonl clock now`,
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := callArguments(cmd, args[2:])
			if err != nil {
				return err
			}
			return withServers(cmd, *f, args[0], true, func(ctx context.Context, r running) error {
				if err := usable(r.board.Servers(), args); err != nil {
					return err
				}
				tool, err := toolNamed(r.set, args[0], args[1])
				if err != nil {
					return err
				}
				o := r.headless(cmd, *f)
				o.Format = headless.Format(output)
				return exit(headless.Call(ctx, o, headless.Trial{Tool: tool, Arguments: arguments, Images: images}))
			})
		},
	}
	outputFlag(cmd, &output)
	cmd.Flags().StringVar(&images, "images", "", "write the images of the result to `DIR`")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "write only errors and notices to standard error")
	return cmd
}

// callArguments reads the arguments of a call. It must be called before servers are started.
func callArguments(cmd *cobra.Command, args []string) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	text, what := []byte(args[0]), fmt.Sprintf("%q", sanitize.Clip(args[0], 200))
	if args[0] == "-" {
		var err error
		if text, err = readAll(cmd.Context(), cmd.InOrStdin(), func() {}); err != nil {
			return nil, err
		}
		what = "on standard input"
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF")) // editors on Windows write it
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return nil, usage(fmt.Sprintf("the arguments %s are not a JSON object", what),
			`write: '{"zone":"Asia/Tokyo"}', or - to read them from standard input`)
	}
	return bytes.TrimSpace(text), nil
}

// toolNamed finds a tool by its name at the server.
func toolNamed(set *servers.Set, server, name string) (mcpclient.Tool, error) {
	tools := slices.DeleteFunc(set.Tools(), func(t mcpclient.Tool) bool { return t.Server != server })
	if i := slices.IndexFunc(tools, func(t mcpclient.Tool) bool { return t.ServerTool == name }); i >= 0 {
		return tools[i], nil
	}
	return mcpclient.Tool{}, usage(fmt.Sprintf("the server %q has no tool %q", server, name),
		"see: aloud mcp tools "+sanitize.Line(server))
}
