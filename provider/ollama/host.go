package ollama

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// parseHost parses a host as Ollama parses OLLAMA_HOST, but returns an error where Ollama falls back to the default.
func parseHost(host string) (*url.URL, error) {
	text := strings.Trim(strings.TrimSpace(host), `"'`)
	bare := !strings.Contains(text, "://")
	if bare {
		if ip := net.ParseIP(text); ip != nil && ip.To4() == nil {
			text = "[" + text + "]"
		}
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" ||
		strings.ContainsAny(u.Host, " \t") {
		return nil, badHost(host)
	}
	name, port := u.Hostname(), u.Port()
	switch strings.ToLower(name) {
	case "http", "https": // "https:/box"
		return nil, badHost(host)
	case "", "0.0.0.0": // all addresses of a server
		name = "127.0.0.1"
	case "::":
		name = "::1"
	}
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case bare:
		port = "11434"
	default:
		port = "80"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, badHost(host)
	}
	u.Host = net.JoinHostPort(name, port)
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// badHost omits the text before an @, which may contain a password.
func badHost(host string) error {
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = "xxxxx" + host[at:]
	}
	return fmt.Errorf(`invalid host %q. Use an address such as "127.0.0.1:11434" or "https://example.com/ollama"`, host)
}
