//go:build unix

package headless

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// suspendable stops the work clock while ctrl+z has stopped the program, until end is called.
func (o *Options) suspendable() (end func()) {
	if !o.JobControl || signal.Ignored(unix.SIGTSTP) {
		return func() {}
	}
	stops, continued := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(stops, unix.SIGTSTP)
	signal.Notify(continued, unix.SIGCONT)
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-stops:
				resume := o.Chat.Suspend()
				if unix.Kill(unix.Getpid(), unix.SIGSTOP) == nil {
					<-continued
				}
				resume()
			case <-continued: // of a stop that no signal announced
			case <-ended:
				return
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		close(ended)
		<-gone
		signal.Stop(continued)
	}
}
