//go:build unix

package terminal

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestScreen(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	script := `stty size; printf '\033[1;31mred\033[0m 日本 what? '; read -r line; echo "got <$line>"; exit 3`
	term, err := Start(exec.CommandContext(ctx, "sh", "-c", script), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close(ctx)

	screen, ok := term.WaitFor(ctx, func(s string) bool { return strings.Contains(s, "what?") })
	if want := "5 40\nred 日本 what?\n\n\n\n"; !ok || screen != want {
		t.Errorf("the screen is %q, want %q", screen, want)
	}
	rows := term.Cells()
	if cell := rows[1][0]; cell.Text != "r" || !cell.Bold || cell.Foreground == "" || cell.Background != "" {
		t.Errorf("the first cell of the second row is %+v, want a bold red r", cell)
	}
	if wide, rest := rows[1][4], rows[1][5]; wide.Text != "日" || rest.Text != "" {
		t.Errorf("a wide character is %q and then %q, want it to take two cells", wide.Text, rest.Text)
	}

	if err := term.Type("yes\r"); err != nil {
		t.Fatal(err)
	}
	if screen, ok = term.WaitFor(ctx, func(s string) bool { return strings.Contains(s, "got <yes>") }); !ok {
		t.Errorf("the program did not get the keys:\n%s", screen)
	}
	<-term.Exited()
	if code := term.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

func TestScrollingRegionBeyondScreen(t *testing.T) {
	term, err := Start(exec.CommandContext(t.Context(), "printf", `one\n\033[1;30r\033[H\033Mtwo`), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close(t.Context())
	<-term.Exited()
	if screen := term.Screen(); screen != "two\none\n\n\n\n" {
		t.Errorf("the screen is %q", screen)
	}
}

func TestWaitForEndsWithProgram(t *testing.T) {
	term, err := Start(exec.CommandContext(t.Context(), "sh", "-c", "echo bye"), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close(t.Context())
	never := func(s string) bool { return strings.Contains(s, "never") }
	if screen, ok := term.WaitFor(t.Context(), never); ok || !strings.Contains(screen, "bye") {
		t.Errorf("WaitFor = %q, %v; want the last screen and false", screen, ok)
	}
}

func TestCloseEndsProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	term, err := Start(exec.Command("cat"), 40, 5)
	if err != nil {
		t.Fatal(err)
	}
	term.Close(ctx)
	if ctx.Err() != nil {
		t.Error("the hang-up did not end the program")
	}
}
