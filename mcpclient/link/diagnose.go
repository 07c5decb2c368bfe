package link

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/web"
)

// brokeOff tells of an answer over HTTP that ended in the middle, or did not begin: the server may have died, or only the way to it broke.
func brokeOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, web.ErrTooEarly) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		err != nil && strings.HasSuffix(err.Error(), "http: server closed idle connection") // net/http's own, which has no name
}

// goneTime bounds the looking for a server that may be gone.
const goneTime = 2 * time.Second

// Diagnose says why nobody is there, where a request to a server over HTTP went wrong with err in the middle, or before it began: it asks the server
// anything. Where somebody is, or err says it all, that is err.
func (l *Link) Diagnose(ctx context.Context, err error) error {
	if l.server.URL == "" || !brokeOff(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, goneTime)
	defer cancel()
	for range 3 { // a connection that was kept open may break off, too, before a new one is refused
		_, _, broken := l.tools(ctx)
		switch {
		case fault.Unreachable(broken):
			return fault.Of(broken)
		case !brokeOff(broken):
			return err
		}
	}
	return err
}
