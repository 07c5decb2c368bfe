package mcpclient

import (
	"context"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/link"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/aloudchat/aloud/mcpclient/policy"
)

// connect is the real connector.
func connect(ctx, life context.Context, config Server, a *asked.Answerer) (*link.Link, error) {
	if config.Broken != nil {
		return nil, config.Broken
	}
	return link.Dial(ctx, life, placeOf(config), a)
}

// placeOf is the configuration as far as a link is concerned.
func placeOf(config Server) link.Server {
	protocol := config.Protocol
	if protocol == "auto" {
		protocol = ""
	}
	return link.Server{
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
		Source: offer.Source{
			Server:  config.Name,
			BuiltIn: config.BuiltIn,
			Trusted: config.Trusted || config.Local != nil,
			Wanted:  policy.Wanted(config.EnabledTools, config.DisabledTools),
		},
		Log: logOf(config),
	}
}
