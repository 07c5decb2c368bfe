// Package browser shows a page in the person's own browser: to log in, or to go where a server sends them.
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

// ErrNone is matched by errors of Open where there is no browser: the person has to go to the address by hand.
var ErrNone = errors.New("there is no browser here: open the address by hand")

// patience is how long an opener has to say that it could not open the page. Most are gone by then; some stay as long as the browser is open.
const patience = 2 * time.Second

// Open shows the page at an address with http or https. It returns when the page is open as far as anybody can tell, after two seconds at most,
// with what went wrong in one sentence. Safe for concurrent use; what it starts writes nowhere and outlives the program.
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

// opener is the command that opens a page on a system.
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
	// Without a screen xdg-open takes a browser for the terminal, which is ours.
	for _, screen := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if name, _ := lookup(screen); name != "" {
			return []string{"xdg-open", address}, nil
		}
	}
	return nil, ErrNone
}

// chosen is the command of $BROWSER: the first of a list, with the address where it says %s, or at its end. No shell reads it.
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

// start runs the command. Who waits for it ends with it.
func start(command []string) error {
	program := exec.Command(command[0], command[1:]...) //nolint:gosec // the person's own browser, or the system's
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
