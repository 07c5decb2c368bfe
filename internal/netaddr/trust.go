package netaddr

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// Trusted returns the system's certificates and those of a PEM file, or nil, for only the system's, if the name of the
// file is "".
func Trusted(caFile string) (*x509.CertPool, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile) //nolint:gosec // the user's configuration names it
	if err != nil {
		return nil, fmt.Errorf("cannot read ca_file %q: %w", caFile, atomicfile.Cause(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil { // no system certificates
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q has no certificate in PEM (-----BEGIN CERTIFICATE-----)", caFile)
	}
	return pool, nil
}
