package web

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// NewTransport is one of its own for each connection, so that closing its connections ends nobody else's. It goes through the proxy that the
// environment names, save to this machine.
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
