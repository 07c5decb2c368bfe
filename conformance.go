package main

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/mcpclient/oauth"
	"github.com/aloudchat/aloud/status"
)

// conformanceCommand lets the conformance suite of the Model Context Protocol see what we do with its servers. It drives the same
// parts as a chat does, with somebody in the place of a person who says yes to everything.
func conformanceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "conformance url", Short: "Use the server of a conformance scenario", Hidden: true, Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
			var told scenarioContext
			if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
				if err := json.Unmarshal([]byte(text), &told); err != nil {
					return failure{fmt.Errorf("MCP_CONFORMANCE_CONTEXT is not JSON: %w", err)}
				}
			}
			login, err := told.login(scenario, args[0])
			if err != nil {
				return failure{err}
			}
			server := mcpclient.Server{
				Name: "suite", URL: args[0], Protocol: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"),
				Sampling: mcpclient.SamplingAllow, Login: login,
			}
			board := &status.Board{}
			set := mcpclient.Start(cmd.Context(), []mcpclient.Server{server}, mcpclient.Options{Board: board, Host: agreeing{}})
			defer set.Close()
			r := rehearsal{set: set, board: board, out: cmd.OutOrStdout()}
			return asFailure(r.play(cmd.Context(), scenario, told))
		},
	}
}

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

func (s scenarioContext) login(scenario, url string) (mcpclient.Login, error) {
	options := oauth.Options{
		Server: "suite", URL: url, ClientID: s.ClientID, ClientSecret: s.ClientSecret, SigningAlgorithm: s.SigningAlgorithm,
		ClientMetadataURL: "https://conformance-test.local/client-metadata.json",
	}
	switch scenario {
	case "auth/client-credentials-basic", "auth/client-credentials-jwt":
		options.Grant = oauth.ClientCredentials
	}
	if s.PrivateKey != "" {
		var err error
		if options.PrivateKey, err = privateKey(s.PrivateKey); err != nil {
			return nil, err
		}
	}
	return oauth.New(options), nil
}

func privateKey(pem string) (crypto.Signer, error) {
	key, err := oauth.ReadKey([]byte(pem))
	if err != nil {
		return nil, fmt.Errorf("the key of the scenario %w", err)
	}
	return key, nil
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
		if err := r.set.LogIn(ctx, "suite", obedientBrowser{}); err != nil && !errors.Is(err, mcpclient.ErrLogin) {
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
	if errors.Is(err, mcpclient.ErrLogin) {
		if err = r.set.LogIn(ctx, "suite", obedientBrowser{}); err == nil {
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
	if err := r.set.Offering(ctx, "suite"); err != nil {
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

// sampleArguments fills in what a schema asks for.
func sampleArguments(schema json.RawMessage) (json.RawMessage, error) {
	values, err := filledIn(schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

func filledIn(schema json.RawMessage) (map[string]any, error) {
	asked, err := form.Parse(schema)
	if err != nil {
		return nil, err
	}
	values := asked.Defaults()
	for _, field := range asked.Fields {
		if _, given := values[field.Name]; given {
			continue
		}
		switch field.Kind {
		case form.Text:
			values[field.Name] = "x"
		case form.Number, form.Integer:
			values[field.Name] = 2
		case form.Boolean:
			values[field.Name] = true
		}
	}
	return values, nil
}

// agreeing is a host that accepts everything, with what forms come with.
type agreeing struct{}

// Elicit implements mcpclient.Host.
func (agreeing) Elicit(_ context.Context, q mcpclient.Elicitation) (mcpclient.Elicited, error) {
	content, err := filledIn(q.Schema)
	return mcpclient.Elicited{Action: mcpclient.Accept, Content: content}, err
}

// Sample implements mcpclient.Host.
func (agreeing) Sample(context.Context, mcpclient.Sampling) (mcpclient.Sampled, error) {
	return mcpclient.Sampled{Model: "none", Text: "x", Stop: "endTurn"}, nil
}

// obedientBrowser goes where it is sent, and on from there.
type obedientBrowser struct{}

// Visit implements mcpclient.Browser.
func (obedientBrowser) Visit(address string) error {
	go func() {
		browser := http.Client{Timeout: 10 * time.Second}
		if page, err := browser.Get(address); err == nil { //nolint:noctx // the timeout ends it
			_ = page.Body.Close()
		}
	}()
	return nil
}

// Pasted implements mcpclient.Browser.
func (obedientBrowser) Pasted(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
