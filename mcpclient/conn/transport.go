package conn

import (
	"crypto/tls"
	"net/http"

	"github.com/aloudchat/aloud/internal/netaddr"
)

// NewTransport returns a new transport, so that closing one server's connections does not affect the others. It uses
// the proxy of the environment, except for localhost. caFile may be "".
func NewTransport(caFile string) (*http.Transport, error) {
	base := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		base = usual.Clone()
	}
	trusted, err := netaddr.Trusted(caFile)
	if err != nil {
		return nil, err
	}
	base.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	return base, nil
}
