package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// sampleArguments returns arguments that fit a schema.
func sampleArguments(schema json.RawMessage) (json.RawMessage, error) {
	values, err := sampleValues(schema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

func sampleValues(schema json.RawMessage) (map[string]any, error) {
	form, err := elicit.Parse(schema)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, field := range form.Fields {
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

// acceptingHost accepts every elicitation with sample values.
type acceptingHost struct{}

// Elicit implements elicit.Host.
func (acceptingHost) Elicit(_ context.Context, q elicit.Elicitation) (elicit.Response, error) {
	content, err := sampleValues(q.Schema)
	return elicit.Response{Action: elicit.Accept, Content: content}, err
}

// browser visits every address and follows redirects.
type browser struct{}

// the client has a timeout
func (browser) Visit(address, _ string) error {
	go func() {
		client := http.Client{Timeout: 10 * time.Second}
		if page, err := client.Get(address); err == nil { //nolint:noctx // the timeout ends it
			_ = page.Body.Close()
		}
	}()
	return nil
}

// Tell implements mcpclient.Browser.
func (browser) Tell(error) {}

// Pasted implements mcpclient.Browser.
func (browser) Pasted(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
