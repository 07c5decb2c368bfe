package conn

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// NewTransport returns a transport of its own for each server, so that closing one does not affect the others. It uses the proxy that the
// environment names, except for this machine. caFile may be "".
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
		return nil, fmt.Errorf("ca_file cannot be read: %w", err)
	}
	known, err := x509.SystemCertPool()
	if err != nil {
		known = x509.NewCertPool()
	}
	if !known.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q holds no certificate: write one that begins with -----BEGIN CERTIFICATE-----", caFile)
	}
	base.TLSClientConfig = &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
	return base, nil
}
