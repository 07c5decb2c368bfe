package mcpclient

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Server configures one server. Exactly one of Command, URL, Local and Broken is set.
type Server struct {
	Name string

	Command string // stdio: the program
	Args    []string
	Env     map[string]string // added to a short inherited environment
	EnvVars []string          // names of variables passed on from aloud's environment
	Dir     string            // "" means the current directory

	URL       string // over HTTP
	Transport string // "sse" means the transport from before 2025-03-26
	Headers   map[string]string
	Login     Login  // may be nil
	CAFile    string // PEM certificates to trust besides the system's

	// Credential is where the credential in Headers comes from, `the environment variable "TOKEN"`; "" if there is none.
	Credential string

	Local   Local   // runs in this process
	BuiltIn string  // the built-in server that Local is, "files"; may be ""
	Insider Insider // previews the calls of Local; may be nil
	Broken  error   // why the server cannot be started

	Protocol string   // a pinned MCP revision; "" or "auto" means the newest that both sides support
	Trusted  bool     // its tool hints are believed
	NoRoots  bool     // do not share folders with it
	Secrets  []string // values to hide in its texts, longest first

	Required, Disabled          bool
	StartupTimeout              time.Duration // to connect, initialize and list tools; 0 means 20 s, longer to install
	ToolTimeout                 time.Duration // of a call that reports no progress; 0 means 60 s
	EnabledTools, DisabledTools []string      // globs over the server's tool names; none enabled means all
}

// Local is a server in this process. *builtin.Server implements it.
type Local interface {
	// Serve serves one client, with a message on each line, until in or ctx ends. It is called once for each connection.
	// A call that panics must only fail that call.
	Serve(ctx context.Context, in io.Reader, out io.Writer) error
}

// Insider previews the calls of a built-in server, which the protocol does not support. *builtin.Server implements it.
type Insider interface {
	// Preview returns the change that a call would make as a unified diff, or "" for none, and its basis, or "" for tools
	// that change nothing. A call that carries the basis fails if the file has changed since; see builtin.BasisKey.
	// Preview returns an error, and may return a basis, if the call would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff, basis string, err error)
	// Caution returns a short reason why a call always needs approval, or "" if it does not.
	Caution(tool string, arguments json.RawMessage) string
	// Sources returns the addresses that a call reads, as far as its arguments contain them.
	Sources(tool string, arguments json.RawMessage) []string
}
