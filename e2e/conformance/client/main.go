// Client plays the scenarios of the conformance suite of the Model Context Protocol. It connects to the server at the
// address through the same package as the chat and accepts every request. The suite names the scenario in the
// environment.
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
	"github.com/aloudchat/aloud/mcpclient/oauth"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run plays a scenario and prints the result of each call. The suite checks the requests that its server got. An error
// means that the scenario did not finish.
func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: client URL")
	}
	address, scenario := args[0], os.Getenv("MCP_CONFORMANCE_SCENARIO")
	var input scenarioContext
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &input); err != nil {
			return fmt.Errorf("parsing the context of the scenario: %w", err)
		}
	}
	login, err := input.login(ctx, scenario, address)
	if err != nil {
		return err
	}
	server := mcpclient.Server{Name: serverName, URL: address, Protocol: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"),
		Login: login, StartupTimeout: startup}
	board := &servers.Board{}
	set := servers.Start(ctx, []mcpclient.Server{server}, servers.Options{Board: board, Host: acceptingHost{}})
	defer set.Close()
	return player{set, board}.play(ctx, scenario, input)
}

// startup is long because the suite runs about forty servers in one process.
const startup = 2 * time.Minute

// serverName is the name of the suite's server.
const serverName = "suite"

// scenarioContext is the input of a scenario besides the address.
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

func (c scenarioContext) login(ctx context.Context, scenario, address string) (_ mcpclient.Login, err error) {
	options := oauth.Options{
		Server: serverName, URL: address,
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, SigningAlgorithm: c.SigningAlgorithm,
		ClientMetadataURL: "https://conformance-test.local/client-metadata.json",
	}
	switch scenario {
	case "auth/client-credentials-basic", "auth/client-credentials-jwt":
		options.Grant = oauth.ClientCredentials
		if options.Issuer, err = issuerOf(ctx, address); err != nil {
			return nil, err
		}
	}
	if c.PrivateKey != "" {
		if options.PrivateKey, err = oauth.ReadKey([]byte(c.PrivateKey)); err != nil {
			return nil, fmt.Errorf("reading the key of the scenario: %w", err)
		}
	}
	return oauth.New(options), nil
}

// issuerOf returns the login server of a server. Users configure it, but the suite does not name it.
func issuerOf(ctx context.Context, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	about := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource" + u.Path
	metadata, err := oauthex.GetProtectedResourceMetadata(ctx, about, server, http.DefaultClient)
	if err != nil {
		return "", err
	}
	if len(metadata.AuthorizationServers) == 0 {
		return "", fmt.Errorf("no login server in %q", about)
	}
	return metadata.AuthorizationServers[0], nil
}

// player plays one scenario.
type player struct {
	set   *servers.Set
	board *servers.Board
}

func (p player) play(ctx context.Context, scenario string, input scenarioContext) error {
	if err := p.connect(ctx); err != nil {
		return err
	}
	switch scenario {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return nil // connecting and listing the tools is enough
	case "json-schema-2020-12-preservation":
		return p.echoSchema(ctx)
	}
	if input.ToolCalls != nil {
		for _, c := range input.ToolCalls {
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
	return p.readAll(ctx)
}

// connect waits for the server and logs in if necessary.
func (p player) connect(ctx context.Context) error {
	const logins = 3 // a server may require another login after the first
	for range logins {
		status, err := p.state(ctx)
		if err != nil || status.State == mcpclient.ServerReady {
			return err
		}
		if status.State != mcpclient.ServerNeedsLogin {
			return fmt.Errorf("the server is %s: %s", status.State, status.Detail)
		}
		if err := p.set.LogIn(ctx, serverName, browser{}); err != nil && !errors.Is(err, mcpclient.ErrLoginNeeded) {
			return fmt.Errorf("logging in: %w", err)
		}
	}
	return errors.New("the server requires too many logins")
}

// state waits until the server is no longer starting.
func (p player) state(ctx context.Context) (mcpclient.ServerStatus, error) {
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

// call calls a tool. If the server requires more scopes, it logs in again.
func (p player) call(ctx context.Context, serverTool string, arguments json.RawMessage) error {
	name := ""
	for _, tool := range p.set.Tools() {
		if tool.ServerTool == serverTool {
			name = tool.Name
		}
	}
	if name == "" {
		fmt.Printf("no tool %q\n", serverTool) // the suite may expect this
		return nil
	}
	result, err := p.set.Call(ctx, mcpclient.Call{Tool: name, Arguments: arguments}, nil)
	if errors.Is(err, mcpclient.ErrLoginNeeded) {
		if err = p.set.LogIn(ctx, serverName, browser{}); err == nil {
			result, err = p.set.Call(ctx, mcpclient.Call{Tool: name, Arguments: arguments}, nil)
		}
	}
	fmt.Printf("%s: %+v %v\n", serverTool, result, err)
	return err
}

// echoSchema sends the schema of one tool to another one, which checks that it is complete.
func (p player) echoSchema(ctx context.Context) error {
	for _, tool := range p.set.Tools() {
		if tool.ServerTool == "json_schema_2020_12_tool" {
			return p.call(ctx, "json_schema_echo", json.RawMessage(fmt.Sprintf(`{"schema":%s}`, tool.Schema)))
		}
	}
	return errors.New("the tool with the schema is missing")
}

// readAll reads each resource and each prompt without arguments.
func (p player) readAll(ctx context.Context) error {
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
