// Package builtin implements the MCP servers that come with aloud: clock, files and fetch, and the shop of the demo.
// The chat runs them in its own process, and `aloud serve NAME` serves them to other programs, except for the shop.
// Callers may be hostile, because models follow what they read, so the servers themselves limit their access.
package builtin

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Names returns the names of the servers.
func Names() []string { return []string{"clock", "files", "fetch"} }

// Options configure what the servers may access. The zero value allows the least.
type Options struct {
	Dir          string // folder to serve, "" for the current folder
	Write        bool   // allow changes to files
	AllowPrivate bool   // let fetch reach private and loopback addresses

	Resolver *net.Resolver // for fetch, nil for the resolver of the system

	// Own lists aloud's own files and folders, which count as secrets.
	Own []string
	// Asks promises that the caller asks the user before each call that Caution warns about. Otherwise such calls fail.
	Asks bool
}

// Server is a built-in server. It must be closed after the last call. Its methods are safe for concurrent use.
type Server struct {
	name      string
	answers   map[string]handler // by the names of the tools that it offers
	about     []byte             // what clients see of it; nil means the file of its name
	folder                       // the zero value except for files and shop
	temporary string             // a folder that Close removes; "" for none
}

// New returns the server with a name.
func New(name string, o Options) (*Server, error) {
	switch name {
	case "clock":
		return Clock(time.Now), nil
	case "fetch":
		return Fetch(o), nil
	case "files":
		return files(o)
	}
	return nil, fmt.Errorf("no built-in server %q. Use clock, files or fetch", name)
}

// Close releases the folder, and removes a temporary one.
func (s *Server) Close() error {
	if s.root == nil {
		return nil
	}
	return errors.Join(s.root.Close(), os.RemoveAll(s.temporary)) // "" removes nothing
}
