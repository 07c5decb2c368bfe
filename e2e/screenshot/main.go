//go:build unix

// Screenshot draws the picture of the README: a conversation with the demo model on a real screen, in the moment in which it answers from what a tool found.
//
//	go run ./e2e/screenshot          writes docs/session.svg
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
)

const (
	picture = "docs/session.svg"
	width   = 92
	height  = 30
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "aloud-screenshot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "aloud")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("aloud does not build here; run it in the folder of go.mod: %s", out)
	}
	folder, err := exampleFolder(dir)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, "--demo")
	cmd.Dir = folder
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor"}
	term, err := terminal.Start(cmd, width, height)
	if err != nil {
		return err
	}
	defer term.Close(ctx)

	if err := converse(ctx, term); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(picture), 0o755); err != nil {
		return err
	}
	return os.WriteFile(picture, svg(term.Cells(), "A conversation in aloud"), 0o644)
}

// exampleFolder has something for the second question.
func exampleFolder(dir string) (string, error) {
	folder := filepath.Join(dir, "garden")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"seeds.csv": "tomato,12\n", "sowing-plan.md": "# March\n", "watering.md": "Every evening.\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// converse has one question answered and stops while the second is being answered.
func converse(ctx context.Context, term *terminal.Terminal) error {
	for _, act := range []struct {
		see   []string
		press string
	}{
		{[]string{"Ask anything"}, "what time is it in Tokyo?\r"},
		{[]string{"✓ 1 tool"}, "and which files are in this folder?\r"},
		{[]string{"Formulating", "sowing-plan.md"}, ""},
	} {
		screen, ok := term.WaitFor(ctx, func(screen string) bool {
			return !slices.ContainsFunc(act.see, func(words string) bool { return !strings.Contains(screen, words) })
		})
		if !ok {
			return fmt.Errorf("the screen does not show all of %q:\n%s", act.see, screen)
		}
		if err := term.Type(act.press); err != nil {
			return err
		}
	}
	return nil
}
