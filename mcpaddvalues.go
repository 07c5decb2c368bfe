package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/secret"
)

// What the flags of aloud mcp add may say. What may be a secret is never repeated.

// values reads the flags that hold names and values, and refuses those that do not fit.
func (own addFlags) values(e *config.Entry) (err error) {
	if err := own.fits(*e); err != nil {
		return err
	}
	if e.Env, err = named("env", "=", own.env); err != nil {
		return err
	}
	if e.Headers, err = named("header", ":", own.headers); err != nil {
		return err
	}
	for _, variable := range own.envVars {
		if err := onlyName("env-var", variable); err != nil {
			return err
		}
	}
	if own.bearer != "" {
		if err := onlyName("bearer-token-env-var", own.bearer); err != nil {
			return err
		}
	}
	return inTheOpen(*e)
}

// fits refuses flags that have no meaning for the kind of server.
func (own addFlags) fits(e config.Entry) error {
	network := own.bearer != "" || own.headers != nil
	local := own.env != nil || own.envVars != nil || own.cwd != ""
	switch {
	case own.startup < 100*time.Millisecond || own.startup > time.Hour:
		return usageError{fmt.Sprintf("--startup-timeout is %q", own.startup), "it must be 100ms to 1h"}
	case e.Command != "" && network:
		return usageError{"--header and --bearer-token-env-var are for servers with an address; this one has a command", "write --env-var NAME to pass a variable on"}
	case e.URL != "" && local:
		return usageError{"--env, --env-var and --cwd are for servers with a command; this one has an address", "write --header or --bearer-token-env-var NAME"}
	case e.Command != "" && own.transport != "":
		return oneOf("transport for a command", own.transport, "stdio")
	case e.URL != "" && own.transport != "":
		return oneOf("transport for an address", own.transport, "http", "sse")
	}
	return nil
}

// named reads NAME=VALUE and "Name: value".
func named(flag, sign string, pairs []string) (map[string]string, error) {
	like := map[string]string{
		"env":    "write it like: --env 'NAME=value', or to pass a variable of yours on: --env-var NAME",
		"header": "write it like: --header 'Name: value'",
	}[flag]
	all := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, sign)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usageError{fmt.Sprintf("--%s has no name and value", flag), like}
		}
		if flag == "header" {
			value = strings.TrimSpace(value)
		}
		switch {
		case flag == "env" && strings.ContainsAny(name, " \t\n"):
			return nil, usageError{fmt.Sprintf("--env has a name that no variable can have: %q", name), like}
		case flag == "header" && strings.ContainsAny(name, " \t\n\"(),/;<=>?@[\\]{}"):
			return nil, usageError{fmt.Sprintf("--header has a name that no header can have: %q", name), like}
		}
		all[name] = value
	}
	return all, nil
}

// onlyName refuses what is not just the name of a variable: its value, or both.
func onlyName(flag, word string) error {
	name, _, _ := strings.Cut(strings.Trim(word, "${}%"), "=")
	if others.IsVariable(word) && !secret.Looks("", word) {
		return nil
	}
	if !others.IsVariable(name) || secret.Looks("", name) {
		name = "NAME"
	}
	return usageError{
		fmt.Sprintf("--%s takes the name of a variable, and nothing else", flag),
		fmt.Sprintf("set the variable where you start aloud, and write: --%s %s", flag, name),
	}
}

// inTheOpen refuses what would put a secret into the file, without repeating it.
func inTheOpen(e config.Entry) error {
	const inFile = " looks like a secret, which must not stand in the file"
	const otherwise = "put it into a variable, and write '${NAME}' in its place, in single quotes"
	for name, value := range e.Env {
		if importing.SecretValue("", name) {
			return usageError{"a name that --env gives" + inFile, "write it like: --env 'NAME=value'"}
		}
		if importing.SecretValue(name, value) {
			return usageError{"the value of " + name + inFile, "set the variable " + name + " where you start aloud, and write: --env-var " + name}
		}
	}
	for name, value := range e.Headers {
		switch variable := others.Var(others.VariableName(e.Name + " token")).String(); {
		case !importing.SecretHeader(name, value):
		case strings.EqualFold(name, "Authorization"):
			return usageError{"the value of " + name + inFile, "put it into a variable, and write: --bearer-token-env-var NAME"}
		default:
			return usageError{"the value of " + name + inFile, "put it into a variable, and write: --header '" + name + ": " + variable + "'"}
		}
	}
	if importing.SecretValue("", e.URL) {
		return usageError{"a part of the address" + inFile, "put it into a variable, and write ${NAME} in its place, in single quotes"}
	}
	switch {
	case importing.SecretValue("", e.Command):
		return usageError{"the command" + inFile, otherwise}
	case importing.SecretValue("", e.Cwd):
		return usageError{"the folder" + inFile, otherwise}
	case importing.SecretArguments(e.Args):
		return usageError{"an argument" + inFile, otherwise}
	}
	return nil
}
