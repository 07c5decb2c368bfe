package config

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/aloudchat/aloud/internal/netaddr"
)

// address returns the URL for a value like "box", "box:1234", ":1234" or "::1". With is "host" it accepts everything
// that OLLAMA_HOST may be: like Ollama, it adds port 11434 if there is no scheme. The error continues a sentence that
// begins with the key.
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
		s = "http://" + cmp.Or(s, "127.0.0.1")
	}
	u, err := netaddr.ParseBase(s)
	if err != nil {
		return "", err
	}
	host, port := u.Hostname(), u.Port()
	if bare && (strings.EqualFold(host, "http") || strings.EqualFold(host, "https")) {
		return "", errors.New(`needs two slashes after the scheme, like "http://127.0.0.1:8000"`)
	}
	if host == "" || host == "0.0.0.0" || host == "::" { // addresses to listen on, not to connect to
		host = "127.0.0.1"
	}
	if port == "" && bare {
		port = usual
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(host, port), ":")
	return u.String(), nil
}
