package stdio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// Local is a server in this process.
type Local struct {
	lines
	in, out *io.PipeReader
	stop    context.CancelFunc
}

// StartLocal starts a server, which runs until Close. serve serves one client on in and out until in
// or ctx ends. handle is explained at jsonrpc.NewWire.
func StartLocal(
	serve func(ctx context.Context, in io.Reader, out io.Writer) error, handle func(jsonrpc.Message),
) *Local {
	l := &Local{lines: newLines(maxLine, handle)}
	life, stop := context.WithCancel(context.Background())
	l.stop = stop
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	l.in, l.out = in, fromServer
	served := make(chan error, 1)
	go func() { _ = l.input.drain(toServer) }()
	go func() {
		defer out.Close()
		defer in.Close()
		defer func() {
			if p := recover(); p != nil {
				served <- fmt.Errorf("the server crashed: %v", p)
			}
		}()
		served <- serve(life, in, out)
	}()
	go func() {
		l.read(fromServer)
		select {
		case err := <-served:
			l.end(cmp.Or(err, errors.New("has ended")))
		default: // Close does not wait for it
			l.end(errors.New("does not end"))
		}
	}()
	return l
}

// Close ends the server. It waits a while for that, because a call may ignore its context.
func (l *Local) Close() {
	l.input.Close()
	l.stop()
	select {
	case <-l.Gone():
	case <-time.After(grace):
		l.in.Close()
		l.out.Close()
		<-l.Gone()
	}
}
