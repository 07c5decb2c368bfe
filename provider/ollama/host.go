package ollama

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = "11434"
)

// parseHost reads a host the way Ollama's own programs read OLLAMA_HOST, except that a mistake is an error instead of the default.
func parseHost(host string) (*url.URL, error) {
	text := strings.Trim(strings.TrimSpace(host), `"'`)
	bare := !strings.Contains(text, "://")
	if bare {
		text = "http://" + bracketed(text)
	}
	u, err := url.Parse(text)
	if err != nil {
		err = errors.Unwrap(err)
		if strings.Contains(text, "@") { // it may quote the password
			err = errors.New("it cannot be read")
		}
		return nil, badHost(host, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, badHost(host, fmt.Errorf("%q is not http or https", u.Scheme))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, badHost(host, errors.New("it must end with the path"))
	}
	name, port := u.Hostname(), u.Port()
	if strings.ContainsAny(name, " \t") {
		return nil, badHost(host, errors.New("a name has no spaces"))
	}
	if bare && port == "" && name == "ollama.com" {
		u.Scheme = "https"
	}
	if port == "" {
		port = portOf(u.Scheme, bare)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, badHost(host, fmt.Errorf("%q is not a port", port))
	}
	u.Host = net.JoinHostPort(dialable(name), port)
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

func badHost(host string, err error) error {
	if at := strings.LastIndexByte(host, '@'); at >= 0 { // before it stands a password, or a token
		scheme, _, found := strings.Cut(host[:at], "://")
		host = "xxxxx" + host[at:]
		if found {
			host = scheme + "://" + host
		}
	}
	return fmt.Errorf(`host %q is not an address such as "127.0.0.1:11434" or "https://example.com/ollama": %w`, host, err)
}

// bracketed puts the brackets around an IPv6 address that was written without them.
func bracketed(host string) string {
	if ip := net.ParseIP(host); ip != nil && strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func portOf(scheme string, bare bool) string {
	switch {
	case scheme == "https":
		return "443"
	case bare:
		return defaultPort
	}
	return "80"
}

// dialable turns the addresses a server listens on everywhere with into ones a client can reach on every system.
func dialable(name string) string {
	switch name {
	case "", "0.0.0.0":
		return defaultHost
	case "::":
		return "::1"
	}
	return name
}
