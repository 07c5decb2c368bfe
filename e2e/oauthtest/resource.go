package oauthtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Resource is an MCP server that requires a login. Its tools need the scope "read", and "change" also "write". "tell"
// returns the credentials of the request.
type Resource struct {
	URL string // of the MCP endpoint

	server *httptest.Server

	mu       sync.Mutex
	issuer   *Issuer
	name     string // its name in the metadata; "" means its URL
	silent   bool   // refuses requests without a challenge
	unsaid   bool   // has no metadata
	open     bool
	refusals int
}

// NewResource starts a server whose tokens come from issuer. Close ends it.
func NewResource(issuer *Issuer) *Resource {
	tools := server.NewMCPServer("vault", "1.0")
	for _, name := range []string{"look", "change"} {
		tools.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(name + ": done"), nil
		})
	}
	tools.AddTool(mcp.NewTool("tell"), func(_ context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("you sent " + call.Header.Get("Authorization")), nil
	})
	r := &Resource{issuer: issuer}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", r.metadata)
	mux.Handle("/mcp", r.guard(server.NewStreamableHTTPServer(tools)))
	r.server = httptest.NewUnstartedServer(mux) // the handler reads both fields
	r.URL = "http://" + r.server.Listener.Addr().String() + "/mcp"
	r.server.Start()
	return r
}

// Close ends the server.
func (r *Resource) Close() {
	r.server.CloseClientConnections()
	r.server.Close()
}

// MoveTo changes the authorization server.
func (r *Resource) MoveTo(issuer *Issuer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.issuer = issuer
}

// CallItself changes the resource in its metadata.
func (r *Resource) CallItself(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name = name
}

// Hush makes the server refuse requests without a challenge.
func (r *Resource) Hush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = true
}

// SayNothing also removes the metadata.
func (r *Resource) SayNothing() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent, r.unsaid = true, true
}

// Open removes the requirement to log in.
func (r *Resource) Open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = true
}

// Refusals returns the number of refused requests.
func (r *Resource) Refusals() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals
}

func (r *Resource) metadata(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := r.name
	if name == "" {
		name = r.URL
	}
	if r.open || r.unsaid {
		http.NotFound(w, nil)
		return
	}
	answer(w, http.StatusOK, map[string]any{"resource": name, "authorization_servers": []string{r.issuer.URL},
		"scopes_supported": []string{"read"}})
}

// guard refuses requests without a token with the required scopes.
func (r *Resource) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20))
		if err != nil {
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		issuer, silent, open := r.issuer, r.silent, r.open
		r.mu.Unlock()
		token, _ := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
		scopes, good := issuer.allows(token, r.URL)
		needed := needs(body)
		switch {
		case open || good && slices.Contains(scopes, needed):
			next.ServeHTTP(w, request)
			return
		case silent:
			w.WriteHeader(http.StatusUnauthorized)
		case !good:
			w.Header().Set("WWW-Authenticate",
				fmt.Sprintf(`Bearer resource_metadata=%q, scope="read"`, r.server.URL+"/.well-known/oauth-protected-resource/mcp"))
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, needed))
			w.WriteHeader(http.StatusForbidden)
		}
		r.mu.Lock()
		r.refusals++
		r.mu.Unlock()
	})
}

// needs returns the scope that a request needs.
func needs(body []byte) string {
	var request struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &request) == nil && request.Method == "tools/call" && request.Params.Name == "change" {
		return "write"
	}
	return "read"
}
