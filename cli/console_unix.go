//go:build unix

package cli

// enableEscapes is for Windows.
func enableEscapes() {}
