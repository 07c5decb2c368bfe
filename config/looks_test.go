package config_test

import (
	"slices"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestLooksSecret(t *testing.T) {
	for _, test := range []struct{ name, value string }{
		{"GITHUB_TOKEN", "ghp_abcdefABCDEF0123456789"},
		{"", "ghp_abcdefABCDEF0123456789"},
		{"", "sk-proj-abcdefghijkl0123"},
		{"NOTION_API_KEY", "<YOUR_KEY>"},
		{"DB_PASSWORD", "letmein"},
		{"DATABASE_URL", "postgres://me:letmein@db.example/notes"},
		{"--api-key", "plainword"},
		{"X", "a1B2c3D4e5F6g7H8i9J0k1L2"},
		{"Cookie", "session=1"},
		{"AUTH", "user42:pass"},
		{"WEBHOOK", "https://hooks.example/T0000/a1B2c3D4e5F6g7H8i9J0k1L2"},
		{"", "https://x.example/mcp?api_key=abc123"},
	} {
		if !config.LooksSecret(test.name, test.value) {
			t.Errorf("%s = %q may stand in the open", test.name, test.value)
		}
	}
	for _, test := range []struct{ name, value string }{
		{"GITHUB_TOKEN", "${GITHUB_TOKEN}"},
		{"MAX_TOKENS", "100000"},
		{"GOOGLE_APPLICATION_CREDENTIALS", "/home/me/keys/google.json"},
		{"AUTH_TYPE", "oauth"},
		{"AUTH_URL", "https://auth.example.com/realms/x"},
		{"MODE", "read-only"},
		{"TOKEN", "true"},
		{"", "@modelcontextprotocol/server-filesystem@2026.8.31"},
		{"", "/home/me/notes-2026-11-21-and-more-of-them"},
		{"PROJECT", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
		{"", "https://example.com/mcp?version=2025-11-25"},
		{"", "ghcr.io/github/github-mcp-server"},
		{"KEYBOARD", "german"},
	} {
		if config.LooksSecret(test.name, test.value) {
			t.Errorf("%s = %q looks secret", test.name, test.value)
		}
	}
	if got := config.SecretsInAddress("postgres://me:pa%20ss@h/a1B2c3D4e5F6g7H8i9J0k1L2?token=abcdef&q=word#x"); !slices.Equal(got, []string{"pa%20ss", "a1B2c3D4e5F6g7H8i9J0k1L2", "abcdef"}) {
		t.Errorf("got %q", got)
	}
}
