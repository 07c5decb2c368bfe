package cli

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"
)

func TestCompletionsMeanThemselvesInEveryShell(t *testing.T) {
	list := fixed("qwen3:8b\tWhat's $(this)?\n", "qwen3:$(id)", "qwen3:`id`", "qwen3 all", "qwen3\\", "qwen3;ls",
		"qwen3\x1b[2J", "qwen3*", "--qwen3", "", "llama3")
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	got, _ := complete(list)(cmd, nil, "qwen")
	if want := []string{"qwen3:8b\tWhats this"}; !slices.Equal(got, want) {
		t.Errorf("offered are %q, not %q", got, want)
	}
	if got, _ := complete(list)(cmd, nil, ""); len(got) != 2 {
		t.Errorf("offered are %q, not two", got)
	}
}

func TestCompletionDoesNotWaitForSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		silent := func(ctx context.Context, _ *cobra.Command, _ []string) []string {
			<-ctx.Done()
			return []string{"late"}
		}
		if got, _ := complete(silent)(cmd, nil, ""); len(got) != 1 {
			t.Errorf("offered are %q", got)
		}
	})
}
