package cli

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// startServers starts the configured servers, and then more. The returned function ends them.
func startServers(
	ctx context.Context, cfg *config.Config, options servers.Options, more ...mcpclient.Server,
) (*servers.Set, func()) {
	var list []mcpclient.Server
	for _, table := range cfg.Servers {
		list = append(list, makeServer(table, ownFiles(cfg.Path)))
	}
	list = append(list, more...)
	set := servers.Start(ctx, list, options)
	return set, func() {
		set.Close()
		for _, s := range list {
			closeLocal(s)
		}
	}
}

// closeLocal ends a server of this process.
func closeLocal(s mcpclient.Server) {
	if open, ok := s.Local.(io.Closer); ok {
		_ = open.Close()
	}
}

// ownFiles returns the paths of aloud's configuration and state.
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

// makeServer makes a server from its table. A built-in one must be closed.
func makeServer(s config.Server, own []string) mcpclient.Server {
	m := mcpclient.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, EnvVars: s.EnvVars, Dir: s.Cwd,
		URL: s.URL, Transport: s.Transport, Protocol: s.Protocol, Headers: s.Headers, CAFile: s.CAFile,
		Credential: s.Credential(),
		Trusted:    s.Trusted, Required: s.Required, Disabled: !s.Enabled,
		ToolTimeout:  s.ToolTimeout,
		EnabledTools: s.EnabledTools, DisabledTools: s.DisabledTools, Secrets: s.Secrets,
		NoRoots: !s.Roots,
	}
	if s.StartupSet { // otherwise a server that has to be installed gets longer
		m.StartupTimeout = s.StartupTimeout
	}
	if s.WantsLogin() {
		login, err := newLogin(s)
		if m.Broken = err; err == nil {
			m.Login = login
		}
	}
	if s.Broken != nil {
		m.Broken = s.Broken
	}
	if s.Builtin != "" {
		local, err := builtin.New(s.Builtin, builtin.Options{
			Dir: cmp.Or(s.Cwd, "."), Write: s.BuiltinWrite, AllowPrivate: s.AllowPrivate, Own: own, Asks: true,
		})
		m.Broken, m.Trusted, m.BuiltIn = err, true, s.Builtin
		if err == nil {
			m.Local, m.Insider = local, local
		}
	}
	return m
}
