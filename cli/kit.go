package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"reflect"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// kit is the running servers of one configuration, and of those that take its place.
type kit struct {
	set     *mcpclient.Set
	made    []madeServer // in the order of the configuration
	stopLog func()
}

// madeServer is a server with the table that it was made from.
type madeServer struct {
	table  config.Server
	server mcpclient.Server
	closer io.Closer // of what a built-in server holds open; nil: nothing
}

// startKit starts the configured servers.
func startKit(ctx context.Context, cfg *config.Config, options mcpclient.Options) *kit {
	k := &kit{}
	list, _ := k.make(cfg)
	k.set = mcpclient.Start(ctx, list, options)
	k.stopLog = logServers(ctx, options.Board)
	return k
}

// reload takes over the servers of another configuration, and tells what that changes. Those that are the same go on.
func (k *kit) reload(ctx context.Context, cfg *config.Config) []mcpclient.Change {
	list, left := k.make(cfg)
	changes := k.set.Reload(ctx, list)
	closeAll(left)
	return changes
}

func (k *kit) close() {
	k.set.Close()
	closeAll(k.made)
	k.stopLog()
}

// make makes what mcpclient starts out of a configuration. A server whose table has not changed stays the very same; those that are not used
// any more are left.
func (k *kit) make(cfg *config.Config) (list []mcpclient.Server, left []madeServer) {
	before := map[string]madeServer{}
	for _, m := range k.made {
		before[m.table.Name] = m
	}
	k.made = nil
	for _, table := range cfg.Servers {
		m, ok := before[table.Name]
		if ok && sameTable(m.table, table) {
			delete(before, table.Name)
		} else {
			m = makeServer(table, ownFiles(cfg.Path))
		}
		k.made = append(k.made, m)
		list = append(list, m.server)
	}
	for _, m := range before {
		left = append(left, m)
	}
	return list, left
}

// sameTable tells whether two tables mean the same, wherever they stand in their files.
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

// closeAll closes what built-in servers hold open. That nothing is open any more is all there is to know.
func closeAll(made []madeServer) {
	for _, m := range made {
		if m.closer != nil {
			_ = m.closer.Close()
		}
	}
}
