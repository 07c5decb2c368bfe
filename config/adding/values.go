package adding

import (
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/secret"
)

// values reads the flags that hold names and values, and refuses those that do not fit.
func (l Line) values(e *config.Entry) (err error) {
	if err := l.fits(*e); err != nil {
		return err
	}
	if e.Env, err = named("env", "=", l.Env); err != nil {
		return err
	}
	if e.Headers, err = named("header", ":", l.Headers); err != nil {
		return err
	}
	for _, variable := range l.EnvVars {
		if err := onlyName("env-var", variable); err != nil {
			return err
		}
	}
	if l.BearerEnv != "" {
		if err := onlyName("bearer-token-env-var", l.BearerEnv); err != nil {
			return err
		}
	}
	return inTheOpen(*e)
}

// fits refuses flags that have no meaning for the kind of server.
func (l Line) fits(e config.Entry) error {
	network := l.BearerEnv != "" || l.Headers != nil
	local := l.Env != nil || l.EnvVars != nil || l.Cwd != ""
	switch {
	case l.Startup != nil && (*l.Startup < 100*time.Millisecond || *l.Startup > time.Hour):
		return mistake{fmt.Sprintf("--startup-timeout is %q", *l.Startup), "it must be 100ms to 1h"}
	case e.Command != "" && network:
		return mistake{"--header and --bearer-token-env-var are for servers with an address; this one has a command", "write --env-var NAME to pass a variable on"}
	case e.URL != "" && local:
		return mistake{"--env, --env-var and --cwd are for servers with a command; this one has an address", "write --header or --bearer-token-env-var NAME"}
	case e.Command != "" && l.Transport != "" && l.Transport != "stdio":
		return mistake{fmt.Sprintf("there is no transport for a command %q", l.Transport), "it is stdio"}
	case e.URL != "" && l.Transport != "" && l.Transport != "http" && l.Transport != "sse":
		return mistake{fmt.Sprintf("there is no transport for an address %q", l.Transport), "it is one of http, sse"}
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
			return nil, mistake{fmt.Sprintf("--%s has no name and value", flag), like}
		}
		if flag == "header" {
			value = strings.TrimSpace(value)
		}
		switch {
		case flag == "env" && strings.ContainsAny(name, " \t\n"):
			return nil, mistake{fmt.Sprintf("--env has a name that no variable can have: %q", secret.Mask(name)), like}
		case flag == "header" && strings.ContainsAny(name, " \t\n\"(),/;<=>?@[\\]{}"):
			return nil, mistake{fmt.Sprintf("--header has a name that no header can have: %q", secret.Mask(name)), like}
		}
		all[name] = value
	}
	return all, nil
}

// onlyName refuses what is not just the name of a variable: its value, or both.
func onlyName(flag, word string) error {
	name, _, _ := strings.Cut(strings.Trim(word, "${}%"), "=")
	if others.IsVariable(word) && !secret.NoName(word) {
		return nil
	}
	if !others.IsVariable(name) || secret.NoName(name) {
		name = "NAME"
	}
	return mistake{
		fmt.Sprintf("--%s takes the name of a variable, and nothing else", flag),
		fmt.Sprintf("set the variable where you start aloud, and write: --%s %s", flag, name),
	}
}
