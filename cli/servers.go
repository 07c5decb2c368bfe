package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// servers are the running servers of a configuration that can be reloaded.
type servers struct {
	set  *mcpclient.Set
	made []madeServer // in the order of the configuration
}

// madeServer is a server with the table of the file that it was made from.
type madeServer struct {
	table  config.Server
	server mcpclient.Server
	closer io.Closer // what a built-in server holds open; may be nil
}

// startServers starts the configured servers.
func startServers(ctx context.Context, cfg *config.Config, options mcpclient.Options) *servers {
	s := &servers{}
	list, _ := s.make(cfg)
	s.set = mcpclient.Start(ctx, list, options)
	return s
}

// reload changes to the servers of another configuration, and returns what changed. Equal servers keep running.
func (s *servers) reload(ctx context.Context, cfg *config.Config) []mcpclient.Change {
	list, left := s.make(cfg)
	changes := s.set.Reload(ctx, list)
	closeAll(left)
	return changes
}

func (s *servers) close() {
	s.set.Close()
	closeAll(s.made)
}

// make returns the servers of a configuration, and those that are no longer used. A server whose table has not changed
// is not made again.
func (s *servers) make(cfg *config.Config) (list []mcpclient.Server, left []madeServer) {
	before := map[string]madeServer{}
	for _, m := range s.made {
		before[m.table.Name] = m
	}
	s.made = nil
	for _, table := range cfg.Servers {
		m, ok := before[table.Name]
		if ok && sameTable(m.table, table) {
			delete(before, table.Name)
		} else {
			m = makeServer(table, ownFiles(cfg.Path))
		}
		s.made = append(s.made, m)
		list = append(list, m.server)
	}
	for _, m := range before {
		left = append(left, m)
	}
	return list, left
}

// sameTable reports whether two tables are equal, apart from their lines in the file.
func sameTable(a, b config.Server) bool {
	if (a.Unset == nil) != (b.Unset == nil) {
		return false
	}
	a.Unset, b.Unset = nil, nil // it names the line
	return reflect.DeepEqual(a, b)
}

// ownFiles are aloud's configuration and state.
func ownFiles(configPath string) (own []string) {
	if configPath != "" {
		own = append(own, configPath)
	}
	for _, find := range []func(func(string) (string, bool)) (string, error){config.Dir, config.StateDir} {
		if dir, err := find(os.LookupEnv); err == nil {
			own = append(own, dir)
		}
	}
	return own
}

func makeServer(s config.Server, own []string) madeServer {
	m := madeServer{table: s, server: mcpclient.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, EnvVars: s.EnvVars, Dir: s.Cwd,
		URL: s.URL, Transport: s.Transport, Protocol: s.Protocol, Headers: s.Headers, CAFile: s.CAFile,
		Trusted: s.Trusted, Required: s.Required, Disabled: !s.Enabled,
		StartupTimeout: s.StartupTimeout, ToolTimeout: s.ToolTimeout,
		EnabledTools: s.EnabledTools, DisabledTools: s.DisabledTools, Secrets: s.Secrets,
		NoRoots: !s.Roots, Sampling: s.Sampling,
	}}
	if s.WantsLogin() {
		login, err := newLogin(s, loginStore())
		if m.server.Broken = err; err == nil {
			m.server.Login = login
		}
	}
	if s.Unset != nil {
		m.server.Broken = s.Unset
	}
	if s.Builtin != "" {
		local, err := builtin.New(s.Builtin, builtin.Options{
			Dir: cmp.Or(s.Cwd, "."), Write: s.BuiltinWrite, AllowPrivate: s.AllowPrivate, Own: own, Asks: true,
		})
		m.server.Broken, m.server.Trusted, m.server.BuiltIn = err, true, s.Builtin
		if err == nil {
			m.server.Local, m.server.Insider, m.closer = local.MCPServer, local, local
		}
	}
	return m
}

// closeAll closes what built-in servers hold open.
func closeAll(made []madeServer) {
	for _, m := range made {
		if m.closer != nil {
			_ = m.closer.Close()
		}
	}
}

// follow reloads the servers whenever the configuration file changes, until the returned function is called. The rest
// of the file takes effect at the next start. A file with a mistake leaves the servers as they are.
func (t *talk) follow(ctx context.Context, say func(ctx context.Context, text string, mistake bool)) (stop func()) {
	if t.servers == nil || t.cfg.Path == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		for range fileChanges(ctx, t.cfg.Path) {
			cfg, err := t.load()
			if err != nil {
				say(ctx, "The configuration file was changed, and the servers stay as they are: "+err.Error(), true)
				continue
			}
			if t.inbox != nil {
				t.inbox.SetModes(samplingModes(cfg))
			}
			var changes []string
			for _, c := range t.servers.reload(ctx, cfg) {
				changes = append(changes, fmt.Sprintf("%s: %s", c.Server, c.What))
			}
			if changes != nil {
				say(ctx, "The configuration file was changed. "+strings.Join(changes, ", ")+".", false)
			}
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}
