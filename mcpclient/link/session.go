package link

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/web"
	"github.com/mark3labs/mcp-go/client/transport"
)

var (
	// ErrSessionLost says that the server knows our session no more, and has not looked at the request. It may go out again.
	ErrSessionLost = errors.New("the server has forgotten our session")

	// errSessionEnded: the server took the request in, and lost the session before the answer was there. It must not go out again.
	errSessionEnded = errors.New("it took this in and then forgot our session, so it may have been done all the same")
)

// post sends one message once, and tells a session that is over by ErrSessionLost or errSessionEnded. For the transport all is one: that the message
// was refused, that it never went out because another was, and that its answer cannot be fetched any more.
func (w *wire) post(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, status := web.WithStatus(ctx)
	response, err := w.Interface.SendRequest(ctx, request)
	switch code := status.Load(); {
	case errors.Is(err, transport.ErrSessionTerminated) && code >= 200 && code < 300:
		if a, ok := ctx.Value(answerKey{}).(*answer); ok {
			a.broken.Store(&errSessionEnded) // which says more than the refusal that it was found out by
		}
		return nil, errSessionEnded
	case errors.Is(err, transport.ErrSessionTerminated), err == nil && forgotSession(code, response):
		return nil, ErrSessionLost
	}
	return response, err
}

// forgotSession tells whether a server says that it does not know our session (any more): in the name of no request, and before it looks at it, so
// with 400. (With 404 the transport knows it.) The words are those of the usual libraries; servers speak of sessions of other kinds, too.
func forgotSession(status int32, r *transport.JSONRPCResponse) bool {
	if status != http.StatusBadRequest || r.Error == nil || !r.ID.IsNil() {
		return false
	}
	said := strings.ToLower(r.Error.Message)
	return slices.ContainsFunc([]string{"session not found", "session id", "session-id", "unknown session", "invalid session", "expired session"},
		func(words string) bool { return strings.Contains(said, words) })
}
