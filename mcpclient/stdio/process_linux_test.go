package stdio

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestCloseEndsOtherSessions has a grandchild in its own session, which no signal to the group reaches.
func TestCloseEndsOtherSessions(t *testing.T) {
	address, next := lives(t)
	server, err := Start(Config{Command: os.Args[0], Grace: 50 * time.Millisecond,
		Env: environment("wrapper", address, "STDIO_TEST_CHILD=runaway")}, nil)
	must(t, err)
	wrapper, runaway, grandchild := next(), next(), next()
	server.Close()
	awaitDeath(t, "the wrapper", wrapper)
	awaitDeath(t, "its child", runaway)
	awaitDeath(t, "its grandchild", grandchild)
}

func TestKillEndsOtherSessions(t *testing.T) {
	address, next := lives(t)
	host := exec.Command(os.Args[0])
	host.Env = environment("host", address, "STDIO_TEST_CHILD=runaway")
	must(t, host.Start())
	_, _, _, grandchild := next(), next(), next(), next() // host, server, child, grandchild
	must(t, host.Process.Kill())
	_ = host.Wait()
	awaitDeath(t, "the grandchild", grandchild)
}
