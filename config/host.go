package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
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
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || !bare && !isWeb(s) || bare && lacksSlashes(u) || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New(`is not an address. Use one like "http://127.0.0.1:8000"`)
	}
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" { // addresses to listen on, not to connect to
		host = "127.0.0.1"
	}
	if port == "" && bare {
		port = usual
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return "", errors.New("has an invalid port; it must be 1 to 65535")
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(host, port), ":")
	u.Path = strings.TrimRight(u.Path, "/")
	return u.String(), nil
}

// lacksSlashes reports whether an address without a scheme was meant to have one, like https:/box.
func lacksSlashes(u *url.URL) bool {
	name := strings.ToLower(u.Hostname())
	return name == "http" || name == "https"
}
