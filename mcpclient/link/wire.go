package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// wire is what mcp-go's client talks through: a transport, and the same additions whichever it is.
//
//   - What a server really answered is kept for us, in the answer of the context: the client's own types drop much of it,
//     and fail on a whole list or result because of one odd part.
//   - A call that is given up is cancelled at the server.
//   - Notifications never block the reading of answers, however many there are.
//   - What the server asks is answered, whether it asks by a request of its own or instead of an answer.
type wire struct {
	transport.Interface
	asked       *asked.Questions
	log         *wirelog.Log  // of a server in this process, where there are no bytes to read along
	listChanged chan struct{} // has one element when tools were announced as changed
	news        *news         // what else was announced
	ids         atomic.Int64  // how many ids of our own were given out
	wordyIDs    bool          // all requests go out under ids of our own
	offersRoots bool          // the server was told that there are roots
	opened      atomic.Bool   // the newest stream of announcements was acknowledged
	deaf        atomic.Bool   // a stream of announcements has ended, and there is no other one yet
	fetched     atomic.Int64  // when the lists were last fetched because of that, in Unix seconds

	seemedModern atomic.Bool           // the server answers a discovery, though with nothing
	refused      atomic.Pointer[error] // why the server does not even let itself be discovered

	mu       sync.Mutex
	revision string
	refusal  *mcp.JSONRPCErrorDetails // what the greeting was answered with
	progress map[string]chan Progress // the newest news of each running call, by token
	followed int                      // how many tokens were given out
}

func newWire(t transport.Interface, asked *asked.Questions) *wire {
	return &wire{Interface: t, asked: asked, listChanged: make(chan struct{}, 1), news: newNews(), progress: map[string]chan Progress{}}
}

// SendRequest implements transport.Interface.
func (w *wire) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if w.log != nil {
		w.log.Value(wirelog.Sent, request)
	}
	response, err := w.converse(ctx, request)
	if err != nil {
		return nil, err
	}
	w.log.Value(wirelog.Received, response)
	if a, ok := ctx.Value(answerKey{}).(*answer); ok {
		a.result, a.err = response.Result, response.Error
	}
	if response.Error != nil {
		w.noteRefusal(request, response.Error)
		return response, nil
	}
	if response.Result == nil && request.Method != string(mcp.MethodServerDiscover) { // that is asked of servers that know nothing of it
		return nil, errNothing
	}
	if plain, ok := plainOffer(mcp.MCPMethod(request.Method), response.Result); ok {
		return withResult(response, plain), nil
	}
	switch mcp.MCPMethod(request.Method) {
	case mcp.MethodServerDiscover:
		return w.discovered(response), nil
	case mcp.MethodToolsList:
		return withResult(response, w.listWithoutOddTools(response.Result)), nil
	case mcp.MethodToolsCall:
		return withResult(response, json.RawMessage(`{"content":[]}`)), nil // we read the answer ourselves
	}
	return response, nil
}

// send sends one message and waits for its answer.
func (w *wire) send(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if w.wordyIDs {
		request.ID = w.freshID()
	}
	if refused := w.refused.Load(); refused != nil && request.Method == string(mcp.MethodInitialize) {
		return nil, *refused
	}
	response, err := w.post(ctx, request)
	if request.Method == string(mcp.MethodServerDiscover) && (errors.Is(err, login.ErrNeeded) || errors.Is(err, transport.ErrAuthorizationRequired)) {
		w.refused.Store(&err) // who is not let in learns nothing of the revisions: there is nothing to fall back from
	}
	if err == nil && w.deniesRevision(response) { // once: it may have been another instance's answer
		request.ID = w.freshID()
		response, err = w.post(ctx, request)
	}
	if err == nil && !answers(request, response) {
		return nil, errForeign
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, ErrSessionLost) {
		w.giveUp(ctx, request)
	}
	return response, err
}

// errForeign is for what comes over HTTP, where mcp-go takes any response for the one to its request.
var errForeign = errors.New("it answered another request than the one that was sent")

// answers reports whether a response is to this request. Some servers answer to 1 with "1", and with null to what they could not read.
func answers(request transport.JSONRPCRequest, response *transport.JSONRPCResponse) bool {
	if response == nil || response.ID.IsNil() {
		return response == nil || response.Error != nil
	}
	return fmt.Sprint(response.ID.Value()) == fmt.Sprint(request.ID.Value())
}

// giveUp tells the server that nobody waits for a request any more, and notes in its answer where the server was not told. Over HTTP the way to the
// server can take as long as anything, and nothing may have gone out; everywhere else nothing stands between us and it.
func (w *wire) giveUp(ctx context.Context, request transport.JSONRPCRequest) {
	a, ok := ctx.Value(answerKey{}).(*answer)
	_, remote := w.Interface.(transport.HTTPConnection)
	switch {
	case ok && remote && !a.out.Load():
		a.fate.Store(&ErrUnasked)
	case !w.cancel(ctx, request) && ok:
		a.fate.Store(&ErrUnconfirmed)
	}
}

// freshID is an id that neither the client nor a server gives out.
func (w *wire) freshID() mcp.RequestId {
	return mcp.NewRequestId(fmt.Sprintf("aloud-%d", w.ids.Add(1)))
}

// deniesRevision tells whether a server does not want the revision that it says it speaks.
func (w *wire) deniesRevision(r *transport.JSONRPCResponse) bool {
	if r.Error == nil || r.Error.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return false
	}
	raw, _ := json.Marshal(r.Error.Data)
	var speaks struct {
		Supported []string `json:"supported"`
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return json.Unmarshal(raw, &speaks) == nil && slices.Contains(speaks.Supported, w.revision)
}

func (w *wire) noteRefusal(request transport.JSONRPCRequest, with *mcp.JSONRPCErrorDetails) {
	if request.Method == string(mcp.MethodInitialize) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refusal = with
	}
}

// greeted is the error of a greeting, in the server's words when it said no: the client keeps but some of them.
func (w *wire) greeted(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refusal == nil || w.refusal.Message == "" {
		return err
	}
	return &fault.Refused{Text: "it refused to begin: " + fault.Short(w.refusal.Message), Cause: err}
}

func withResult(r *transport.JSONRPCResponse, result json.RawMessage) *transport.JSONRPCResponse {
	return &transport.JSONRPCResponse{JSONRPC: r.JSONRPC, ID: r.ID, Result: result}
}

// discovered unmasks servers that answer {} to anything: they know no discovery.
func (w *wire) discovered(r *transport.JSONRPCResponse) *transport.JSONRPCResponse {
	var found struct {
		SupportedVersions []string `json:"supportedVersions"`
	}
	if json.Unmarshal(r.Result, &found) == nil && len(found.SupportedVersions) > 0 {
		return r
	}
	w.seemedModern.Store(true)
	return &transport.JSONRPCResponse{JSONRPC: r.JSONRPC, ID: r.ID,
		Error: &mcp.JSONRPCErrorDetails{Code: mcp.METHOD_NOT_FOUND, Message: "not a discovery"}}
}

// cancelTimeout bounds the telling: it is a courtesy.
const cancelTimeout = 2 * time.Second

// cancel tells the server that nobody waits for a request any more, and whether it could be told. The newest revision over HTTP needs no words:
// the dropped stream says it.
func (w *wire) cancel(ctx context.Context, request transport.JSONRPCRequest) (told bool) {
	_, remote := w.Interface.(transport.HTTPConnection)
	switch mcp.MCPMethod(request.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover: // these may not be cancelled
		return false
	}
	if remote && w.modern() {
		return true
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	err := w.SendNotification(ctx, notification(string(mcp.MethodNotificationCancelled),
		map[string]any{"requestId": request.ID, "reason": "nobody waits for it any more"}))
	return err == nil && (request.Method != string(mcp.MethodToolsCall) || w.takenIn(ctx))
}

// takenIn tells whether the server has heard what it was told just now. To a process it is only written, and one that is busy, or reads no more,
// would be taken for one that has let go: it is asked for a sign of life behind it, as long as the revision has one.
func (w *wire) takenIn(ctx context.Context) bool {
	process, ok := w.Interface.(*stdio.Transport)
	if !ok || w.modern() {
		return true
	}
	_, err := process.SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: w.freshID(), Method: string(mcp.MethodPing)})
	return err == nil
}

// SetProtocolVersion is called by the client once the revision is agreed on. Having the method also makes it leave cancelling to us.
func (w *wire) SetProtocolVersion(revision string) {
	w.mu.Lock()
	w.revision = revision
	w.mu.Unlock()
	if t, ok := w.Interface.(transport.HTTPConnection); ok {
		t.SetProtocolVersion(revision)
	}
}

// agreed is the revision that both sides speak.
func (w *wire) agreed() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.revision
}

// modern: since 2026-07-28 there are no sessions, and servers ask only instead of answering.
func (w *wire) modern() bool { return mcp.IsModernProtocol(w.agreed()) }

// tellRoots tells the server that the roots are others now.
func (w *wire) tellRoots() {
	ctx, stop := context.WithTimeout(context.Background(), cancelTimeout)
	defer stop()
	_ = w.SendNotification(ctx, notification("notifications/roots/list_changed", nil))
}

func notification(method string, fields map[string]any) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: method, Params: mcp.NotificationParams{AdditionalFields: fields},
	}}
}
