// Client plays the scenarios of the conformance suite of the Model Context Protocol: it uses the server at the given address through the same
// server manager as a chat, and accepts everything that the server asks. The suite names the scenario in the environment.
//
//	client URL
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/oauth"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run uses the server of a scenario the way the scenario wants it, and prints the outcome of each call. The suite judges by what its server
// saw; an error means that the scenario did not get to its end.
func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("write: client URL")
	}
	address, scenario := args[0], os.Getenv("MCP_CONFORMANCE_SCENARIO")
	var told scenarioContext
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			return fmt.Errorf("the context of the scenario is not JSON: %w", err)
		}
	}
	login, err := told.login(ctx, scenario, address)
	if err != nil {
		return err
	}
	server := mcpclient.Server{Name: serverName, URL: address, Protocol: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"),
		Login: login, StartupTimeout: startup}
	board := &mcpclient.Board{}
	set := mcpclient.Start(ctx, []mcpclient.Server{server}, mcpclient.Options{Board: board, Host: agreeing{}})
	defer set.Close()
	return player{set, board}.play(ctx, scenario, told)
}

// startup is long: the suite runs some forty servers in one process at a time.
const startup = 2 * time.Minute

// serverName is what the suite's server is called here.
const serverName = "suite"

// scenarioContext is what the suite passes besides the address.
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

func (c scenarioContext) login(ctx context.Context, scenario, address string) (_ conn.Login, err error) {
	options := oauth.Options{
		Server: serverName, URL: address, ClientID: c.ClientID, ClientSecret: c.ClientSecret, SigningAlgorithm: c.SigningAlgorithm,
		ClientMetadataURL: "https://conformance-test.local/client-metadata.json",
	}
	switch scenario {
	case "auth/client-credentials-basic", "auth/client-credentials-jwt":
		options.Grant = oauth.ClientCredentials
		if options.Issuer, err = namedIssuer(ctx, address); err != nil {
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

// namedIssuer returns the login server that a server names. People write it into their configuration, and the suite does not name it.
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

// player plays one scenario.
type player struct {
	set   *mcpclient.Set
	board *mcpclient.Board
}

func (p player) play(ctx context.Context, scenario string, told scenarioContext) error {
	if err := p.arrive(ctx); err != nil {
		return err
	}
	switch scenario {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return nil // to be there, and to know the tools, is all
	case "json-schema-2020-12-preservation":
		return p.echoSchema(ctx)
	}
	if told.ToolCalls != nil {
		for _, c := range told.ToolCalls {
			if err := p.call(ctx, c.Name, c.Arguments); err != nil {
				return err
			}
		}
		return nil
	}
	for _, tool := range p.set.Tools() {
		arguments, err := sampleArguments(tool.Schema)
		if err != nil {
			return err
		}
		if err := p.call(ctx, tool.ServerTool, arguments); err != nil {
			return err
		}
	}
	return p.readOffers(ctx)
}

// arrive waits for the server, and logs in where that is wanted.
func (p player) arrive(ctx context.Context) error {
	const logins = 3 // a server may want another login once it has seen the first
	for range logins {
		state, err := p.settled(ctx)
		if err != nil || state.State == mcpclient.ServerReady {
			return err
		}
		if state.State != mcpclient.ServerNeedsLogin {
			return fmt.Errorf("the server is %s: %s", state.State, state.Detail)
		}
		if err := p.set.LogIn(ctx, serverName, obedientBrowser{}); err != nil && !errors.Is(err, conn.ErrLoginNeeded) {
			return fmt.Errorf("the login: %w", err)
		}
	}
	return errors.New("the server wants one login after another")
}

// settled waits until something has become of the server.
func (p player) settled(ctx context.Context) (mcpclient.ServerStatus, error) {
	for seen := 0; ; {
		servers, version, err := p.board.Wait(ctx, seen)
		if err != nil {
			return mcpclient.ServerStatus{}, err
		}
		if state := servers[0].State; state != mcpclient.ServerStarting {
			return servers[0], nil
		}
		seen = version
	}
}

// call calls a tool. If the server wants a login with more scopes, it logs in again.
func (p player) call(ctx context.Context, serverTool string, arguments json.RawMessage) error {
	name := ""
	for _, tool := range p.set.Tools() {
		if tool.ServerTool == serverTool {
			name = tool.Name
		}
	}
	if name == "" {
		fmt.Printf("there is no tool %q\n", serverTool) // the suite may want it not to be there
		return nil
	}
	result, err := p.set.Call(ctx, name, arguments, nil)
	if errors.Is(err, conn.ErrLoginNeeded) {
		if err = p.set.LogIn(ctx, serverName, obedientBrowser{}); err == nil {
			result, err = p.set.Call(ctx, name, arguments, nil)
		}
	}
	fmt.Printf("%s: %+v %v\n", serverTool, result, err)
	return err
}

// echoSchema sends the schema of one tool to another one, which looks whether all of it is there.
func (p player) echoSchema(ctx context.Context) error {
	for _, tool := range p.set.Tools() {
		if tool.ServerTool == "json_schema_2020_12_tool" {
			return p.call(ctx, "json_schema_echo", json.RawMessage(fmt.Sprintf(`{"schema":%s}`, tool.Schema)))
		}
	}
	return errors.New("the tool with the schema is not there")
}

// readOffers reads each resource and each prompt that needs nothing.
func (p player) readOffers(ctx context.Context) error {
	if err := p.set.Offering(ctx, serverName); err != nil {
		return err
	}
	for _, resource := range p.set.Resources() {
		if resource.Template {
			continue
		}
		if _, err := p.set.Read(ctx, resource.Server, resource.URI); err != nil {
			return err
		}
	}
	for _, prompt := range p.set.Prompts() {
		if _, err := p.set.Prompt(ctx, prompt.Server, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}
