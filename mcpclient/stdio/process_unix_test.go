//go:build unix

package stdio

import (
	"net"
	"os"
	"os/exec"
	"testing"
)

func TestKillEndsProcesses(t *testing.T) {
	address, next := lives(t)
	host := exec.Command(os.Args[0])
	host.Env = environment("host", address, "STDIO_TEST_CHILD=stubborn")
	must(t, host.Start())
	all := []net.Conn{next(), next(), next()}
	must(t, host.Process.Kill())
	_ = host.Wait()
	for _, life := range all {
		awaitDeath(t, "the host, the server or its child", life)
	}
}
