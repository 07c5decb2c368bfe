//go:build !linux

package mcpclient

import "testing"

// Only Linux tells what a program holds without asking another one.

func openFiles(testing.TB) int { return 0 }

func processes(testing.TB, string) []string { return nil }
