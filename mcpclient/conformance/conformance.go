// Package conformance lets the conformance suite of the Model Context Protocol see what we do with its servers. It drives the same parts as a
// chat does, with somebody in the place of a person who says yes to everything.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/oauth"
	"github.com/aloudchat/aloud/status"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Scenario is what the suite says of one of its scenarios.
type Scenario struct {
	Name     string // "tools_call"
	URL      string // of the server that it has started
	Protocol string // the revision to speak; "": any
	Context  string // more that there is to know, as JSON; "": nothing
}

// Play uses the server of a scenario the way the scenario wants it, and writes what came of each call. The suite judges by what its server saw;
// an error says that it could not be played to its end.
func Play(ctx context.Context, s Scenario, out io.Writer) error {
	var told scenarioContext
	if s.Context != "" {
		if err := json.Unmarshal([]byte(s.Context), &told); err != nil {
			return fmt.Errorf("the context of the scenario is not JSON: %w", err)
		}
	}
	login, err := told.login(ctx, s)
	if err != nil {
		return err
	}
	server := mcpclient.Server{Name: serverName, URL: s.URL, Protocol: s.Protocol, Sampling: mcpclient.SamplingAllow, Login: login,
		StartupTimeout: startup}
	board := &status.Board{}
	set := mcpclient.Start(ctx, []mcpclient.Server{server}, mcpclient.Options{Board: board, Host: agreeing{}})
	defer set.Close()
	r := rehearsal{set: set, board: board, out: out}
	return r.play(ctx, s.Name, told)
}

// startup is long: the suite runs some forty servers in one process at a time.
const startup = 2 * time.Minute

// serverName is what the suite's server is called here.
const serverName = "suite"

// scenarioContext is what the suite tells besides the address.
type scenarioContext struct {
	ClientID         string `json:"client_id"`
	ClientSecret     string `json:"client_secret"`
	PrivateKey       string `json:"private_key_pem"`
	SigningAlgorithm string `json:"signing_algorithm"`
	ToolCalls        []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func (c scenarioContext) login(ctx context.Context, s Scenario) (_ login.Login, err error) {
	options := oauth.Options{
		Server: serverName, URL: s.URL, ClientID: c.ClientID, ClientSecret: c.ClientSecret, SigningAlgorithm: c.SigningAlgorithm,
		ClientMetadataURL: "https://conformance-test.local/client-metadata.json",
	}
	switch s.Name {
	case "auth/client-credentials-basic", "auth/client-credentials-jwt":
		options.Grant = oauth.ClientCredentials
		if options.Issuer, err = namedIssuer(ctx, s.URL); err != nil {
			return nil, err
		}
	}
	if c.PrivateKey != "" {
		if options.PrivateKey, err = oauth.ReadKey([]byte(c.PrivateKey)); err != nil {
			return nil, fmt.Errorf("the key of the scenario %w", err)
		}
	}
	return oauth.New(options), nil
}

// namedIssuer returns the login server that a server names. The suite does not say in the context what people write into their configuration.
func namedIssuer(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	about := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource" + u.Path
	told, err := oauthex.GetProtectedResourceMetadata(ctx, about, server, http.DefaultClient)
	if err != nil {
		return "", err
	}
	if len(told.AuthorizationServers) == 0 {
		return "", fmt.Errorf("%q names no login server", about)
	}
	return told.AuthorizationServers[0], nil
}

// rehearsal is one scenario being played.
type rehearsal struct {
	set   *mcpclient.Set
	board *status.Board
	out   io.Writer
}

func (r rehearsal) play(ctx context.Context, scenario string, told scenarioContext) error {
	if err := r.arrive(ctx); err != nil {
		return err
	}
	switch scenario {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return nil // to be there, and to know the tools, is all
	case "json-schema-2020-12-preservation":
		return r.echoSchema(ctx)
	}
	if told.ToolCalls != nil {
		for _, c := range told.ToolCalls {
			if err := r.call(ctx, c.Name, c.Arguments); err != nil {
				return err
			}
		}
		return nil
	}
	for _, tool := range r.set.Tools() {
		arguments, err := sampleArguments(tool.Schema)
		if err != nil {
			return err
		}
		if err := r.call(ctx, tool.ServerTool, arguments); err != nil {
			return err
		}
	}
	return r.readOffers(ctx)
}

// arrive waits for the server, and logs in where that is wanted.
func (r rehearsal) arrive(ctx context.Context) error {
	const logins = 3 // a server may want another login once it has seen the first
	for range logins {
		state, err := r.settled(ctx)
		if err != nil || state.State == status.ServerReady {
			return err
		}
		if state.State != status.ServerNeedsLogin {
			return fmt.Errorf("the server is %s: %s", state.State, state.Detail)
		}
		if err := r.set.LogIn(ctx, serverName, obedientBrowser{}); err != nil && !errors.Is(err, login.ErrNeeded) {
			return fmt.Errorf("the login: %w", err)
		}
	}
	return errors.New("the server wants one login after another")
}

// settled waits until something has become of the server.
func (r rehearsal) settled(ctx context.Context) (status.Server, error) {
	for seen := 0; ; {
		servers, version, err := r.board.Wait(ctx, seen)
		if err != nil {
			return status.Server{}, err
		}
		if state := servers[0].State; state != status.ServerStarting && state != status.ServerReconnecting {
			return servers[0], nil
		}
		seen = version
	}
}

// call calls a tool. One that wants a wider login gets it, as a person would give it.
func (r rehearsal) call(ctx context.Context, serverTool string, arguments json.RawMessage) error {
	name := ""
	for _, tool := range r.set.Tools() {
		if tool.ServerTool == serverTool {
			name = tool.Name
		}
	}
	if name == "" {
		fmt.Fprintf(r.out, "there is no tool %q\n", serverTool) // the suite may want it not to be there
		return nil
	}
	result, err := r.set.Call(ctx, name, arguments, nil)
	if errors.Is(err, login.ErrNeeded) {
		if err = r.set.LogIn(ctx, serverName, obedientBrowser{}); err == nil {
			result, err = r.set.Call(ctx, name, arguments, nil)
		}
	}
	fmt.Fprintf(r.out, "%s: %+v %v\n", serverTool, result, err)
	return err
}

// echoSchema sends the schema of one tool to another one, which looks whether all of it is there.
func (r rehearsal) echoSchema(ctx context.Context) error {
	for _, tool := range r.set.Tools() {
		if tool.ServerTool == "json_schema_2020_12_tool" {
			return r.call(ctx, "json_schema_echo", json.RawMessage(fmt.Sprintf(`{"schema":%s}`, tool.Schema)))
		}
	}
	return errors.New("the tool with the schema is not there")
}

// readOffers reads each resource and each prompt that needs nothing.
func (r rehearsal) readOffers(ctx context.Context) error {
	if err := r.set.Offering(ctx, serverName); err != nil {
		return err
	}
	for _, resource := range r.set.Resources() {
		if resource.Template {
			continue
		}
		if _, err := r.set.Read(ctx, resource.Server, resource.URI); err != nil {
			return err
		}
	}
	for _, prompt := range r.set.Prompts() {
		if _, err := r.set.Prompt(ctx, prompt.Server, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}
