package adding

import (
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// inTheOpen refuses what would put a secret into the file, without repeating it.
func inTheOpen(e config.Entry) error {
	const variable = "put it into a variable, and write ${NAME} in its place, in single quotes"
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		switch {
		case importing.SecretValue("", name):
			return open("a name that --env gives", "write it like: --env 'NAME=value'")
		case importing.SecretValue(name, e.Env[name]):
			return open("the value of "+name, "set the variable "+name+" where you start aloud, and write: --env-var "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		if importing.SecretHeader(name, e.Headers[name]) {
			return open("the value of "+name, "put it into a variable, and write: "+otherHeader(e.Name, name))
		}
	}
	switch {
	case importing.SecretValue("", e.URL):
		return open("a part of the address", variable)
	case importing.SecretValue("", e.Command):
		return open("the command", variable)
	case importing.SecretValue("", e.Cwd):
		return open("the folder", variable)
	case importing.SecretArguments(e.Args):
		return open("an argument", variable)
	}
	return nil
}

func open(what, hint string) error {
	return mistake{what + " looks like a secret, which must not stand in the file", hint}
}

// otherHeader is how a header is written whose value is in a variable.
func otherHeader(server, name string) string {
	if strings.EqualFold(name, "Authorization") {
		return "--bearer-token-env-var NAME"
	}
	return "--header '" + name + ": " + others.Var(others.VariableName(server+" token")).String() + "'"
}
