package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/aloudchat/aloud/internal/suggest"
)

// argCount checks the number of arguments of a command. Unlike cobra's own check it says how to write the command.
func argCount(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "write: " + cmd.Parent().CommandPath() + " " + cmd.Use
		switch {
		case len(args) < least:
			return usage(fmt.Sprintf("%q needs more arguments", cmd.CommandPath()), hint)
		case len(args) > most:
			return usage(fmt.Sprintf("unexpected argument %q", args[most]), hint)
		}
		return nil
	}
}

// onlyCommands makes a command with subcommands reject anything else. Alone it shows its help.
func onlyCommands(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		hint := cmp.Or(similar(cmd, args[0]), seeHelp(cmd))
		return usage(fmt.Sprintf("unknown command %q", cmd.CommandPath()+" "+args[0]), hint)
	}
}

func seeHelp(cmd *cobra.Command) string { return "see: " + cmd.CommandPath() + " --help" }

// similar returns a suggestion of the subcommand with nearly that name, or "" if no name is similar.
func similar(cmd *cobra.Command, name string) string {
	cmd.SuggestionsMinimumDistance = 2
	for _, s := range cmd.SuggestionsFor(name) {
		return fmt.Sprintf("did you mean: %s %s", cmd.CommandPath(), s)
	}
	return ""
}

// oneOf checks that a word is a known one.
func oneOf(what, word string, known ...string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usage(fmt.Sprintf("unknown %s %q", what, word), "use one of: "+strings.Join(known, ", "))
}

// outputFlag adds --output to a command.
func outputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVar(output, "output", "text", "`FORMAT` of the output: text or json")
	cmd.PreRunE = func(*cobra.Command, []string) error { return oneOf("output format", *output, "text", "json") }
}

// flagError explains an error of the flag library.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return usage(err.Error(), similarFlag(cmd, unknown.GetSpecifiedName()))
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return usage(err.Error(), seeHelp(cmd))
	}
	hint := map[string]string{
		"bool":     "use true or false",
		"int":      "use a whole number",
		"duration": "use a duration, such as 90s or 2m",
	}[wrong.GetFlag().Value.Type()]
	return usage(fmt.Sprintf("invalid value %q for --%s", wrong.GetValue(), wrong.GetFlag().Name), hint)
}

// similarFlag suggests the flag with the most similar name, or the help.
func similarFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(name, names); near != "" {
		return "did you mean: --" + near
	}
	return seeHelp(cmd)
}
