package adding

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/aloudchat/aloud/config/importing"
)

// commandOf is the program, and its arguments.
func commandOf(name string, written []string) (command string, args []string, err error) {
	command = written[0]
	switch parts := strings.Fields(command); {
	case len(parts) == 0:
		return "", nil, mistake{"the command is empty", "write: aloud mcp add " + name + " -- npx -y some-server"}
	case len(parts) > 1 && !strings.ContainsAny(parts[0], `/\`):
		return "", nil, mistake{
			fmt.Sprintf("%q is one word, and no program is called so", command),
			"write: aloud mcp add " + name + " -- " + strings.Join(written, " "),
		}
	}
	return fromHere(command), written[1:], nil
}

// addressOf is the only word that there may be then. dash is how many of the words, the name among them, stand before --; -1: there is none.
func addressOf(name string, written []string, dash int) (string, error) {
	word := written[0]
	write := "write: aloud mcp add " + name + " "
	scheme, _, two := strings.Cut(word, "://")
	switch {
	case isAddress(word) && dash == 2 && len(written) > 1:
		return "", mistake{"a server has either an address or a command, and this one has both", write + word + ", or: aloud mcp add " + name + " -- " + strings.Join(written[1:], " ")}
	case isAddress(word) && len(written) > 1:
		return "", mistake{fmt.Sprintf("%q is more than an address", strings.Join(written, " ")), write + word}
	case isAddress(word) && !hasHost(word):
		return "", mistake{fmt.Sprintf("%q is no address", word), write + "https://example.com/mcp"}
	case isAddress(word):
		return word, nil
	case two && !strings.ContainsAny(scheme, " /"):
		return "", mistake{fmt.Sprintf("the address %q is none of http or https", word), write + "https://example.com/mcp"}
	case strings.HasPrefix(word, "{"):
		return "", mistake{fmt.Sprintf("%q is no address, and a command comes after --", word), "JSON is taken over from a file: write it into a file, and: aloud mcp import ./mcp.json"}
	case len(written) == 1 && hasHost("https://"+word) && looksLikeHost(word):
		scheme := "https://"
		if strings.HasPrefix(word, "localhost") || strings.HasPrefix(word, "127.") {
			scheme = "http://"
		}
		return "", mistake{fmt.Sprintf("%q is no address without %s", word, scheme), write + scheme + word}
	}
	return "", mistake{fmt.Sprintf("%q is no address, and a command comes after --", word), write + "-- " + strings.Join(written, " ")}
}

func isAddress(word string) bool {
	scheme, _, two := strings.Cut(word, "://")
	return two && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// hasHost tells whether there is something to go to. A variable may stand for it.
func hasHost(address string) bool {
	u, err := url.Parse(address)
	return strings.Contains(address, "${") || err == nil && u.Host != "" && !strings.ContainsAny(address, " \t\n")
}

// looksLikeHost tells docs.example/mcp and localhost:8080 from the names of programs and their paths.
func looksLikeHost(word string) bool {
	host, _, path := strings.Cut(word, "/")
	_, port, _ := strings.Cut(host, ":")
	return host != "" && !strings.HasPrefix(host, ".") && !strings.HasPrefix(host, "~") && !strings.HasPrefix(host, "@") &&
		(port != "" && strings.Trim(port, "0123456789") == "" || path && strings.Contains(host, "."))
}

// nameOfHost is what people call a server by its address: mcp.linear.app is linear.
func nameOfHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "docs"
	}
	parts := strings.Split(u.Hostname(), ".")
	for _, part := range parts[:max(len(parts)-1, 1)] {
		if part != "mcp" && part != "www" && part != "api" {
			return importing.ValidName(part)
		}
	}
	return importing.ValidName(parts[0])
}

// fromHere is a path that means the same wherever aloud is started. A word without a separator is no path, but the name of a program.
func fromHere(path string) string {
	if !strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
		return path
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
