package servers

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestRejectedRevisionIsRetried(t *testing.T) {
	var denied atomic.Int32
	place := serveHTTP(t, rewriting(server.NewStreamableHTTPServer(workshop(t)),
		func(method string, w http.ResponseWriter) bool {
			if method != "tools/call" || denied.Add(1) > 1 {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w,
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"not that one","data":{"supported":["2026-07-28"],`+
					`"requested":"2026-07-28"}}}`)
			return true
		}))
	set, _ := ready(t, mcpclient.Server{Name: "shop", URL: place})
	if got := call(t, set, "shop__echo", `{"a":1}`).Text; got != `{"a":1}` || denied.Load() != 2 {
		t.Errorf("after %d calls: %q", denied.Load(), got)
	}
}

func TestCAFile(t *testing.T) {
	shop := httptest.NewUnstartedServer(server.NewStreamableHTTPServer(workshop(t)))
	shop.Config.ErrorLog = log.New(io.Discard, "", 0)
	shop.StartTLS()
	t.Cleanup(shop.Close)
	own := filepath.Join(t.TempDir(), "own.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: shop.Certificate().Raw})
	must(t, os.WriteFile(own, certificate, 0o600))
	_, board := ready(t,
		mcpclient.Server{Name: "trusting", URL: shop.URL, CAFile: own},
		mcpclient.Server{Name: "strict", URL: shop.URL},
		mcpclient.Server{Name: "wrong", URL: shop.URL, CAFile: "traps_test.go"},
		mcpclient.Server{Name: "missing", URL: shop.URL, CAFile: own + ".not"})
	for i, want := range []string{"workshop 1.0", "certificate", "traps_test.go\" has no certificate",
		"cannot read ca_file"} {
		if s := board.Servers()[i]; !strings.Contains(s.Detail, want) || (s.State == mcpclient.ServerReady) != (i == 0) {
			t.Errorf("%s is %s: %s", s.Name, s.State, s.Detail)
		}
	}
}

// placesVariable has the addresses that a process in the role "visiting" connects to.
const placesVariable = "MCPCLIENT_TEST_PLACES"

func visit(places string) {
	var servers []mcpclient.Server
	for i, place := range strings.Fields(places) {
		servers = append(servers, mcpclient.Server{Name: fmt.Sprintf("s%d", i), URL: place})
	}
	board := &Board{}
	set := Start(context.Background(), servers, Options{Board: board})
	defer set.Close()
	_ = set.Ready(context.Background())
	for _, s := range board.Servers() {
		fmt.Println(s.State, s.Tools, s.Detail)
	}
}

func TestProxy(t *testing.T) {
	shop := onlyLegacy(server.NewStreamableHTTPServer(workshop(t)))
	var through atomic.Int32
	proxy := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "shop.example" {
			http.Error(w, "not through here", http.StatusForbidden)
			return
		}
		through.Add(1)
		r.Host = "localhost" // the server accepts only this name
		shop.ServeHTTP(w, r)
	}))
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=visiting", "HTTP_PROXY="+proxy, "http_proxy="+proxy, "NO_PROXY=",
		"no_proxy=",
		placesVariable+"=http://shop.example/mcp "+serveHTTP(t, shop))
	said, err := child.Output()
	if string(said) != "ready 7 workshop 1.0\nready 7 workshop 1.0\n" || err != nil || through.Load() == 0 {
		t.Errorf("%s, %v, %d requests through the proxy", said, err, through.Load())
	}
}
