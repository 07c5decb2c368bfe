// Package browser opens pages in your browser: to log in, or where a server sends you.
package browser

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrNone matches errors of Open where there is no browser.
var ErrNone = errors.New("there is no browser here: open the address by hand")

// patience is how long an opener may take to fail. Most have ended by then; some run as long as the browser is open.
const patience = 2 * time.Second

// Open opens the page at an http or https address. It returns after two seconds at most; the error is one sentence. It
// is safe for concurrent use. The browser outlives the program and writes nothing to the terminal.
func Open(address string) error {
	page, err := url.Parse(address)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" || page.Host == "" {
		return errors.New("only addresses with http:// or https:// are opened in a browser")
	}
	command, err := opener(runtime.GOOS, os.LookupEnv, page.String())
	if err != nil {
		return err
	}
	return start(command)
}

// opener is the command that opens a page.
func opener(system string, lookup func(string) (string, bool), address string) ([]string, error) {
	if own, _ := lookup("BROWSER"); own != "" {
		return chosen(own, address), nil
	}
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}, nil
	case "darwin":
		return []string{"open", address}, nil
	}
	// Without a screen xdg-open starts a browser in the terminal, which is ours.
	for _, screen := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if name, _ := lookup(screen); name != "" {
			return []string{"xdg-open", address}, nil
		}
	}
	return nil, ErrNone
}

// chosen is the command of $BROWSER: the first of a list, with the address where it says %s, or at its end. No shell
// reads it.
func chosen(browser, address string) []string {
	if runtime.GOOS != "windows" { // where a drive has a colon
		browser, _, _ = strings.Cut(browser, ":")
	}
	var command []string
	placed := false
	for word := range strings.FieldsSeq(browser) {
		placed = placed || strings.Contains(word, "%s")
		command = append(command, strings.ReplaceAll(word, "%s", address))
	}
	if !placed {
		command = append(command, address)
	}
	return command
}

// start runs the command.
func start(command []string) error {
	program := exec.Command(command[0], command[1:]...) //nolint:gosec // the user's browser, or the system's
	detach(program)
	if err := program.Start(); err != nil {
		return fmt.Errorf("%w (%q cannot be started)", ErrNone, command[0])
	}
	over := make(chan error, 1)
	go func() { over <- program.Wait() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-over:
		if err != nil {
			return fmt.Errorf("the browser did not open (%q: %w): open the address by hand", command[0], err)
		}
	case <-timer.C:
	}
	return nil
}
