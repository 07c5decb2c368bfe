package cli

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

// errNoBrowser matches errors of openPage where there is no browser.
var errNoBrowser = errors.New("there is no browser here: open the address by hand")

// browserTime is how long an opener may take to fail. Most have ended by then; some run as long as the browser is open.
const browserTime = 2 * time.Second

// openPage opens the page at an http or https address in your browser. It returns after two seconds at most; the error
// is one sentence. It is safe for concurrent use. The browser outlives aloud and writes nothing to the terminal.
func openPage(address string) error {
	page, err := url.Parse(address)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" || page.Host == "" {
		return errors.New("only addresses with http:// or https:// are opened in a browser")
	}
	command, err := browserCommand(runtime.GOOS, os.LookupEnv, page.String())
	if err != nil {
		return err
	}
	return startBrowser(command)
}

// browserCommand is the command that opens a page.
func browserCommand(system string, lookup func(string) (string, bool), address string) ([]string, error) {
	if own, _ := lookup("BROWSER"); own != "" {
		return ownBrowser(own, address), nil
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
	return nil, errNoBrowser
}

// ownBrowser is the command of $BROWSER: the first of a list, with the address where it says %s, or at its end. No shell
// reads it.
func ownBrowser(browser, address string) []string {
	if runtime.GOOS != "windows" { // where a drive has a colon
		browser, _, _ = strings.Cut(browser, ":")
	}
	command := strings.Fields(browser)
	if !strings.Contains(browser, "%s") {
		return append(command, address)
	}
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "%s", address)
	}
	return command
}

// startBrowser runs the command.
func startBrowser(command []string) error {
	program := exec.Command(command[0], command[1:]...) //nolint:gosec // the user's browser, or the system's
	detach(program)
	if err := program.Start(); err != nil {
		return fmt.Errorf("%w (%q cannot be started)", errNoBrowser, command[0])
	}
	over := make(chan error, 1)
	go func() { over <- program.Wait() }()
	timer := time.NewTimer(browserTime)
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
