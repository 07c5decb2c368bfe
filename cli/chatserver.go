package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/kballard/go-shellquote"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/ui/dialog"
)

// assignment matches NAME=value.
var assignment = sanitize.Pattern(`^[A-Za-z_][A-Za-z0-9_]*=`)

// readServer reads a server that you add in the chat: a command with variables before it, or an address with headers
// after it. If name is "", it chooses one.
func (c *chatParts) readServer(line, name string) (dialog.NewServer, error) {
	if runtime.GOOS == "windows" { // where a backslash is part of a path
		line = strings.ReplaceAll(line, `\`, `\\`)
	}
	own := addFlags{server: config.NewServer("")}
	words, err := shellquote.Split(line)
	for len(words) > 0 && assignment().MatchString(words[0]) {
		own.env, words = append(own.env, words[0]), words[1:]
	}
	switch {
	case err != nil:
		err = errors.New("a quotation mark is not closed, or a backslash is at the end")
	case len(words) == 0:
		err = errors.New("write a command or an address")
	case slices.ContainsFunc(c.board.Servers(), func(s mcpclient.ServerStatus) bool { return s.Name == name }):
		err = fmt.Errorf("a server %q already exists. Use another name", name)
	}
	if err != nil {
		return dialog.NewServer{}, err
	}
	for _, allowed := range c.cfg.Approval.Allow { // of a server that was removed
		if strings.HasPrefix(allowed, name+".") && !strings.Contains(allowed, " #") {
			const taken = "calls of %q run without asking. Use another name, or remove that from allow in [approval]"
			return dialog.NewServer{}, fmt.Errorf(taken, allowed)
		}
	}
	dash := 1                              // as in the arguments of aloud mcp add
	if strings.Contains(words[0], "://") { // an address
		own.headers, words, dash = words[1:], words[:1], -1
	}
	name = cmp.Or(name, serverName(words))
	s, err := own.read(append([]string{name}, words...), dash)
	if key := s.Secret(); key != "" {
		err = fmt.Errorf("%w. Put it into an environment variable, and write ${NAME} in its place", err)
	}
	if err != nil {
		return dialog.NewServer{}, err
	}
	loaded, err := s.Loaded(os.LookupEnv)
	return dialog.NewServer{
		Name: name,
		Try: func(ctx context.Context) (mcpclient.ServerStatus, []mcpclient.Tool) {
			board, apart := new(servers.Board), &config.Config{Path: c.cfg.Path, Servers: []config.Server{loaded}}
			set, end := startTools(ctx, apart, servers.Options{Board: board, Patient: true})
			defer end()
			_ = set.Ready(ctx) // the board has the error
			return board.Servers()[0], set.Tools()
		},
		Add: func(readOnly, all bool) error {
			s.Trusted, loaded.Trusted = readOnly, readOnly
			if err := config.AddServers(c.cfg.Path, os.LookupEnv, s); err != nil {
				return fmt.Errorf("cannot add server %q: %w", name, err)
			}
			c.tools.Add(makeServer(loaded, ownFiles(c.cfg.Path)))
			if !all {
				return nil
			}
			return c.Chat.Policy.AllowServer(name)
		},
	}, err
}

// serverName returns a name for a server: "filesystem" for npx -y @modelcontextprotocol/server-filesystem, and "linear"
// for https://mcp.linear.app/sse. It is the longest word that says more than that it is a server.
func serverName(words []string) (name string) {
	from := words[0]
	for _, word := range slices.Backward(words) {
		if strings.Contains(word, "mcp") || strings.Contains(word, "server") {
			from = word
		}
	}
	odd := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	for _, word := range strings.FieldsFunc(strings.ToLower(from), odd) {
		vague := slices.Contains([]string{"mcp", "server", "modelcontextprotocol", "latest", "https"}, word)
		if !vague && len(word) > len(name) {
			name = word
		}
	}
	return fmt.Sprintf("%.*s", config.LongestName, cmp.Or(name, "server"))
}
