package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// exampleBaseURL is where most OpenAI-compatible servers are.
const exampleBaseURL = "http://127.0.0.1:8000/v1"

// address reads where a server is.
func (t *table) address(key string, parse func(string) (string, error), into *string) {
	t.shows(key, func() any { return *into })
	text, ok := value[string](t, key, "a string")
	if !ok {
		return
	}
	text, _, err := expand(text, t.loader.env)
	if err == nil {
		text, err = parse(text)
	}
	if err != nil {
		t.mistake(key, "%v", err)
		return
	}
	*into = text
}

// hostURL makes a whole URL of all that OLLAMA_HOST may be: a URL, "box", "box:1234", ":1234", "::1".
// As with Ollama itself only a host without a scheme gets port 11434. The error finishes a sentence that begins with the key.
func hostURL(text string) (string, error) { return serverURL(text, "11434", "http://127.0.0.1:11434") }

// baseURL makes a whole URL of an address of an OpenAI-compatible server.
func baseURL(text string) (string, error) { return serverURL(text, "", exampleBaseURL) }

// serverURL gives the address a port only when it has no scheme either.
func serverURL(text, usual, example string) (string, error) {
	s := strings.Trim(strings.TrimSpace(text), `"'`)
	if ip, err := netip.ParseAddr(s); err == nil && ip.Is6() {
		s = "[" + s + "]"
	}
	bare := !strings.Contains(s, "://")
	if bare {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.Host == "" && !bare {
		return "", fmt.Errorf("is no address of a server; write one like %q", example)
	}
	host, port := u.Hostname(), u.Port()
	switch {
	case host == "":
		host = "127.0.0.1"
	case host == "0.0.0.0" || host == "::":
		// Where a server listens everywhere a client finds it here; Windows cannot connect to 0.0.0.0.
		host = map[string]string{"0.0.0.0": "127.0.0.1", "::": "::1"}[host]
	}
	if port == "" && bare {
		port = usual
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return "", errors.New("has a port that is not between 1 and 65535")
	}
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	} else if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	} else {
		u.Host = host
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u.String(), nil
}
