package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// sampleArguments fills in what a schema asks for.
func sampleArguments(schema json.RawMessage) (json.RawMessage, error) {
	values, err := filledIn(schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

func filledIn(schema json.RawMessage) (map[string]any, error) {
	asked, err := elicit.Parse(schema)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, field := range asked.Fields {
		switch {
		case field.Default != nil:
			values[field.Name] = field.Default
		case field.Kind == elicit.Text:
			values[field.Name] = "x"
		case field.Kind == elicit.Number, field.Kind == elicit.Integer:
			values[field.Name] = 2
		case field.Kind == elicit.Boolean:
			values[field.Name] = true
		}
	}
	return values, nil
}

// agreeing is a host that accepts everything, with what forms come with.
type agreeing struct{}

// Elicit implements elicit.Host.
func (agreeing) Elicit(_ context.Context, q elicit.Elicitation) (elicit.Response, error) {
	content, err := filledIn(q.Schema)
	return elicit.Response{Action: elicit.Accept, Content: content}, err
}

// obedientBrowser goes where it is sent, and on from there.
type obedientBrowser struct{}

// Visit implements conn.Browser.
func (obedientBrowser) Visit(address, _ string) error {
	go func() {
		browser := http.Client{Timeout: 10 * time.Second}
		if page, err := browser.Get(address); err == nil { //nolint:noctx // the timeout ends it
			_ = page.Body.Close()
		}
	}()
	return nil
}

// Tell implements conn.Browser. Nothing is pasted, so there is nothing to tell.
func (obedientBrowser) Tell(error) {}

// Pasted implements conn.Browser.
func (obedientBrowser) Pasted(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
