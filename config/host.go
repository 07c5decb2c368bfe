package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// address makes a whole URL of all that OLLAMA_HOST may be, "box", "box:1234", ":1234", "::1" (is "host"), or of the
// address of an OpenAI-compatible server. As with Ollama itself only a host without a scheme gets port 11434. The
// error finishes a sentence that begins with the key.
func address(text, is string) (string, error) {
	usual := ""
	if is == "host" {
		usual = "11434"
	}
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
		return "", errors.New(`is no address of a server; write one like "http://127.0.0.1:8000"`)
	}
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" { // a server that listens everywhere is found here
		host = "127.0.0.1"
	}
	if port == "" && bare {
		port = usual
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return "", errors.New("has a port that is not between 1 and 65535")
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(host, port), ":")
	u.Path = strings.TrimRight(u.Path, "/")
	return u.String(), nil
}
