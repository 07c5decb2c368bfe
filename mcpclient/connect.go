package mcpclient

import (
	"context"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/policy"
)

// connect is the real connector.
func connect(ctx, life context.Context, config Server, a *elicit.Answerer) (*conn.Conn, error) {
	if config.Broken != nil {
		return nil, config.Broken
	}
	return conn.Dial(ctx, life, placeOf(config), a)
}

// placeOf is the configuration as far as a link is concerned.
func placeOf(config Server) conn.Server {
	protocol := config.Protocol
	if protocol == "auto" {
		protocol = ""
	}
	return conn.Server{
		Local: config.Local,

		Command: config.Command,
		Args:    config.Args,
		Env:     config.Env,
		EnvVars: config.EnvVars,
		Dir:     config.Dir,

		URL:     config.URL,
		SSE:     config.Transport == "sse",
		Headers: config.Headers,
		Login:   config.Login,
		CAFile:  config.CAFile,

		Protocol: protocol,
		Source: conn.Source{
			Server:  config.Name,
			BuiltIn: config.BuiltIn,
			Trusted: config.Trusted || config.Local != nil,
			Wanted:  policy.Wanted(config.EnabledTools, config.DisabledTools),
		},
		Log: logOf(config),
	}
}
