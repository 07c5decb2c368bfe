package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// openPage opens the page at an address in your browser: the program that BROWSER names, or the system's. It does not
// wait for the browser, which outlives aloud and writes nothing to the terminal. The error is one sentence.
func openPage(address string) error {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return errors.New("only addresses with http:// or https:// are opened in a browser")
	}
	// Without a screen xdg-open starts a browser in the terminal, which is ours.
	hasScreen := cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")) != ""
	own := strings.Fields(os.Getenv("BROWSER"))
	var command []string
	switch {
	case len(own) > 0:
		command = own
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case hasScreen:
		command = []string{"xdg-open"}
	default:
		return errors.New("there is no browser here: open the address by hand")
	}
	program := exec.Command(command[0], append(command[1:], address)...) //nolint:gosec // the user's browser, or the system's
	detach(program)
	if err := program.Start(); err != nil {
		return fmt.Errorf("the browser %q cannot be started: open the address by hand", command[0])
	}
	go program.Wait() //nolint:errcheck // it only cleans up after the browser
	return nil
}
