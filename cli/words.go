package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// words checks the number of words after a command. cobra's own errors speak of args.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		written := strings.Join(append([]string{cmd.CommandPath()}, args...), " ")
		hint := "write: " + cmd.Parent().CommandPath() + " " + cmd.Use
		switch {
		case len(args) < least:
			return usage(fmt.Sprintf("%q is not complete", written), hint)
		case len(args) > most:
			return usage(fmt.Sprintf("%q is more than %q takes", args[most], cmd.CommandPath()), hint)
		}
		return nil
	}
}

// manyWords means no limit.
const manyWords = int(^uint(0) >> 1)

// onlyCommands makes a command with subcommands reject anything else. Alone it shows its help.
func onlyCommands(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return usage(fmt.Sprintf("there is no command %q", cmd.CommandPath()+" "+args[0]), "see what there is with: "+cmd.CommandPath()+" --help")
	}
}

// oneOf checks that a word is a known one.
func oneOf(what, word string, known ...string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usage(fmt.Sprintf("there is no %s %q", what, word), "it is one of "+strings.Join(known, ", "))
}

// outputFlag adds the flag --output to a command that prints text or JSON.
func outputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVar(output, "output", "text", "text or json")
	cmd.PreRunE = func(*cobra.Command, []string) error { return oneOf("output format", *output, "text", "json") }
}

// flagError explains an error of the flag library.
func flagError(cmd *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return usage(err.Error(), "see what there is with: "+cmd.CommandPath()+" --help")
	}
	hint := map[string]string{
		"bool":     "it is true or false",
		"int":      "it must be a whole number",
		"duration": "it must be a duration, for example 90s or 2m",
	}[wrong.GetFlag().Value.Type()]
	return usage(fmt.Sprintf("--%s is %q", wrong.GetFlag().Name, wrong.GetValue()), hint)
}
