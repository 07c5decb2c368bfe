package elicit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// server is a connection to a server, and the responses that it gets.
type server struct {
	*elicit.Requests
	mu    sync.Mutex
	heard []string
}

func newServer(host elicit.Host) *server {
	return &server{Requests: elicit.NewRequests(&elicit.Handler{Server: "s", Host: host, Roots: []elicit.Root{},
		Pause: new(elicit.Timer).Pause})}
}

// send handles a request of the server as a connection does.
func (s *server) send(method mcp.MCPMethod, params string) {
	m := jsonrpc.Message{ID: json.RawMessage("1"), Method: method, Params: json.RawMessage(params)}
	s.Admit(context.Background(), m)
	s.Serve(m, func(_ context.Context, r jsonrpc.Message) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, fmt.Sprintf("%s%v", r.Result, r.Error))
		return nil
	})
}

// said returns the responses since the last call.
func (s *server) said() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := s.heard
	s.heard = nil
	return heard
}

const (
	aForm = `{"message":"Your name?","requestedSchema":` + nameForm + `}`
	aPage = `{"mode":"url","url":"https://example.org/x","elicitationId":"1"}`
)

func TestFloodIsReadSlowly(t *testing.T) {
	for method, params := range map[string]string{
		"ping": `{}`, "roots/list": `{}`, "sampling/createMessage": `{}`, "elicitation/create": aForm,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(elicit.NewInbox(true))
			defer s.Close()
			began, read := time.Now(), 0
			for ; time.Since(began) < 10*time.Second && read < 10_000; read++ {
				s.send(mcp.MCPMethod(method), params)
			}
			if read < 5_000 || read > 5_600 {
				t.Errorf("%d requests %q were read in ten seconds", read, method)
			}
		})
	}
}

func TestLargeRequestsAreReadSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(elicit.NewInbox(true))
		defer s.Close()
		large := `{"messages":"` + strings.Repeat("x", 1<<20) + `"}`
		began, read := time.Now(), 0
		for ; time.Since(began) < 10*time.Second && read < 1_000; read++ {
			s.send("sampling/createMessage", large)
		}
		if read < 80 || read > 120 {
			t.Errorf("%d MB were read in ten seconds", read)
		}
	})
}

func TestBusyServerDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(elicit.NewInbox(true))
		defer s.Close()
		began := time.Now()
		for range 400 {
			s.send("ping", `{}`)
		}
		for range 1000 {
			s.Admit(context.Background(), jsonrpc.Message{Method: "notifications/progress"})
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("the server waited %v", waited)
		}
	})
}

func TestCloseEndsWaitOfFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		over := make(chan struct{})
		go func() {
			defer close(over)
			for range 5_000 {
				s.Admit(context.Background(), jsonrpc.Message{ID: json.RawMessage("1"), Method: "ping"})
			}
		}()
		synctest.Wait()
		s.Close()
		began := time.Now()
		<-over
		if waited := time.Since(began); waited > 0 {
			t.Errorf("the connection ended %v after it was closed", waited)
		}
	})
}

// slowHost ends an elicitation a second after its context has ended.
type slowHost struct{ ended chan struct{} }

func (h slowHost) Elicit(ctx context.Context, _ elicit.Elicitation) (elicit.Response, error) {
	<-ctx.Done()
	time.Sleep(time.Second) // in a bubble
	close(h.ended)
	return elicit.Response{}, ctx.Err()
}

func TestCloseWaitsForOpenRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := slowHost{make(chan struct{})}
		s := newServer(host)
		s.send("elicitation/create", aForm)
		synctest.Wait()
		s.Close()
		select {
		case <-host.ended:
		default:
			t.Error("the host is still asked")
		}
	})
}

// TestClosedFormsDeclineTheRest closes three forms or pages, before the server asks a fourth time.
func TestClosedFormsDeclineTheRest(t *testing.T) {
	for name, test := range map[string]struct {
		params  string
		closing []elicit.Action
		asks    bool // for the fourth too
	}{
		"forms":        {aForm, []elicit.Action{elicit.Cancel, elicit.Decline, elicit.Cancel}, false},
		"pages":        {aPage, []elicit.Action{elicit.Decline, elicit.Decline, elicit.Decline}, false},
		"one answered": {aForm, []elicit.Action{elicit.Cancel, elicit.Accept, elicit.Cancel, elicit.Cancel}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inbox := elicit.NewInbox(true)
				s := newServer(inbox)
				defer s.Close()
				for _, action := range test.closing {
					s.send("elicitation/create", test.params)
					s.send("elicitation/create", test.params)
					if heard := fmt.Sprint(s.said()); heard != `[{"action":"decline"}<nil>]` {
						t.Errorf("the server heard %s while a form was open", heard)
					}
					next(t, inbox).Answer(elicit.Response{Action: action})
					if heard := fmt.Sprint(s.said()); !strings.Contains(heard, string(action)) {
						t.Errorf("the server heard %s after %s", heard, action)
					}
				}
				other := newServer(inbox) // the server after a restart
				defer other.Close()
				notices := inbox.Notices()
				for _, s := range []*server{s, other} {
					s.send("elicitation/create", test.params)
					synctest.Wait()
					if server, _ := inbox.Asking(); (server != "") != test.asks {
						t.Errorf("%q asks for input", server)
					}
					if heard := fmt.Sprint(s.said()); heard != `[{"action":"decline"}<nil>]` && !test.asks {
						t.Errorf("the server heard %s", heard)
					}
				}
				want := `[A request of server "s" was declined because another of its requests is open`
				if !test.asks {
					want += ` You closed 3 requests of server "s" in a row. ` +
						`All input requests of s are declined until you restart aloud`
				}
				if got := fmt.Sprint(notices, inbox.Notices()); got != want+"] []" {
					t.Errorf("the notices are %s", got)
				}
			})
		})
	}
}

// TestClosedFormsInPlaceOfResults closes forms that a server sends in place of a result.
func TestClosedFormsInPlaceOfResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inbox := elicit.NewInbox(true)
		s := newServer(inbox)
		defer s.Close()
		form := jsonrpc.Message{Result: json.RawMessage(`{"resultType":"input_required","inputRequests":{
			"a":{"method":"elicitation/create","params":` + aForm + `}}}`)}
		asked := 0
		go func() {
			for {
				q, err := inbox.Next(t.Context())
				if err != nil {
					return
				}
				asked++
				q.Answer(elicit.Response{Action: elicit.Cancel})
			}
		}()
		for range 5 {
			if _, again, err := s.ProvideInput(t.Context(), form, 1); err != nil || !again {
				t.Fatalf("the input gives %v, %v", again, err)
			}
		}
		if asked != 3 {
			t.Errorf("the form was shown %d times", asked)
		}
	})
}
