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

// openPage opens the page at an address in the program that BROWSER names, or in the system's browser. It does not wait
// for the browser, which outlives aloud and writes nothing to the terminal.
func openPage(address string) error {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return errors.New("the address of the page is neither http:// nor https://")
	}
	// Without a screen xdg-open starts a browser in the terminal, which is in use.
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
		return errors.New("no browser found; open the address yourself")
	}
	program := exec.Command(command[0], append(command[1:], address)...) //nolint:gosec // the user's choice of browser
	detach(program)
	if err := program.Start(); err != nil {
		return fmt.Errorf("cannot start the browser %q; open the address yourself", command[0])
	}
	go program.Wait() //nolint:errcheck // only to release the process
	return nil
}
