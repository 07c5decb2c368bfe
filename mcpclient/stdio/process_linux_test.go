package stdio

import (
	"net"
	"os"
	"os/exec"
	"testing"
)

func TestNothingIsLeftWhenWeAreKilled(t *testing.T) {
	address, next := lives(t)
	host := exec.Command(os.Args[0])
	host.Env = environment("host", address)
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	both := []net.Conn{next(), next()}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait()
	for _, life := range both {
		awaitDeath(t, "the host or its stubborn server", life)
	}
}
