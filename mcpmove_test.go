package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// TestSecretsAreMovedOutOfArguments tells what becomes of a command line: | parts arguments, and what comes after > has moved.
func TestSecretsAreMovedOutOfArguments(t *testing.T) {
	const token = "ghp_abcdefABCDEF0123456789"
	for _, test := range []struct{ before, after string }{
		{"-y|@scope/server@1.2.3|/home/ada/notes", "-y|@scope/server@1.2.3|/home/ada/notes > "},
		{"--token|" + token, "--token|${GH_TOKEN} > GH_TOKEN=" + token},
		{"--token=" + token + "|--verbose", "--token=${GH_TOKEN}|--verbose > GH_TOKEN=" + token},
		{"--api-key|plainword|--x", "--api-key|${GH_API_KEY}|--x > GH_API_KEY=plainword"},
		{"run|-e|GITHUB_TOKEN=" + token, "run|-e|GITHUB_TOKEN=${GITHUB_TOKEN} > GITHUB_TOKEN=" + token},
		{"run|-e|GITHUB_TOKEN", "run|-e|GITHUB_TOKEN > "},
		{"--header|Authorization: Bearer abcdefg", "--header|Authorization: Bearer ${GH_TOKEN} > GH_TOKEN=abcdefg"},
		{"--header|Authorization:Bearer abcdefg", "--header|Authorization:Bearer ${GH_TOKEN} > GH_TOKEN=abcdefg"},
		{"keycloak:26.0.1|localhost:16379", "keycloak:26.0.1|localhost:16379 > "},
		{"postgres://me:letmein@h/x", "postgres://me:${GH_KEY}@h/x > GH_KEY=letmein"},
		{token + "|" + token, "${GH_TOKEN}|${GH_TOKEN} > GH_TOKEN=" + token},
		{"--a|" + token + "|--b|" + strings.ToUpper("ghp_") + token, "--a|${GH_A}|--b|GHP_" + token + " > GH_A=" + token},
	} {
		m := newMover()
		var args []others.Text
		for word := range strings.SplitSeq(test.before, "|") {
			args = append(args, others.Lit(word))
		}
		got := strings.Join(m.arguments(args, "gh"), "|") + " > "
		for _, name := range slices.Sorted(maps.Keys(m.moved)) {
			got += name + "=" + m.moved[name]
		}
		if got != test.after {
			t.Errorf("%q\n got %q\nwant %q", test.before, got, test.after)
		}
	}
}

func TestNamesOfServersAreMadeValid(t *testing.T) {
	for name, want := range map[string]string{
		"github": "github", "Brave Search": "Brave-Search", "a.b/c": "a-b-c", "--x--": "x", "日本": "server", "": "server",
		strings.Repeat("long ", 10): "long-long-long-long-long-long-lo",
	} {
		if got := validName(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
	i := &importing{cfg: loaded(t)}
	if got := i.freeName("clock"); got != "clock-2" {
		t.Errorf("the name of a built-in server became %q", got)
	}
}
