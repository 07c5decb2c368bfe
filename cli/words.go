package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What is wrong on a command line, in the words of a person: cobra's own speak of args and of Go's parsers.

// words takes from least to most words after a command.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		written := strings.Join(append([]string{cmd.CommandPath()}, args...), " ")
		hint := "write: " + cmd.Parent().CommandPath() + " " + cmd.Use
		switch {
		case len(args) < least:
			return usageError{fmt.Sprintf("%q is not complete", written), hint}
		case len(args) > most:
			return usageError{fmt.Sprintf("%q is more than %q takes", args[most], cmd.CommandPath()), hint}
		}
		return nil
	}
}

// manyWords is for words without a limit.
const manyWords = int(^uint(0) >> 1)

// onlyCommands makes a command that has others below it refuse what is none of them. Alone it shows its help.
func onlyCommands(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return usageError{fmt.Sprintf("there is no command %q", cmd.CommandPath()+" "+args[0]), "see what there is with: " + cmd.CommandPath() + " --help"}
	}
}

// oneOf checks a word of which only a few are known. what says what it names.
func oneOf(what, word string, known ...string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usageError{fmt.Sprintf("there is no %s %q", what, word), "it is one of " + strings.Join(known, ", ")}
}

// listOutput checks the format of a list.
func listOutput(output string) error { return oneOf("output format", output, "text", "json") }

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return usageError{err.Error(), "see what there is with: " + cmd.CommandPath() + " --help"}
	}
	hint := map[string]string{
		"bool":     "it is true or false",
		"int":      "it must be a whole number",
		"duration": "it must be a duration, for example 90s or 2m",
	}[wrong.GetFlag().Value.Type()]
	return usageError{fmt.Sprintf("--%s is %q", wrong.GetFlag().Name, wrong.GetValue()), hint}
}
