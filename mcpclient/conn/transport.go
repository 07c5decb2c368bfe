package conn

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// NewTransport returns a new transport, so that closing one server's connections does not affect the others. It uses
// the proxy of the environment, except for localhost. caFile may be "".
func NewTransport(caFile string) (*http.Transport, error) {
	base := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		base = usual.Clone()
	}
	if caFile == "" {
		return base, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read ca_file: %w", err)
	}
	known, err := x509.SystemCertPool()
	if err != nil {
		known = x509.NewCertPool()
	}
	if !known.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q has no certificate in PEM (-----BEGIN CERTIFICATE-----)", caFile)
	}
	base.TLSClientConfig = &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
	return base, nil
}
