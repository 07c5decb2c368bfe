package conn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// greeter is a server with its own result of the handshake.
type greeter struct {
	greeting string
	lists    script
}

func (g greeter) Serve(_ context.Context, in io.Reader, out io.Writer) error {
	return g.lists.serve(in, out, g.greeting)
}

// greet connects to a greeter.
func greet(t *testing.T, protocol, greeting string, lists script) (*Conn, error) {
	t.Helper()
	to := mcpclient.Server{Protocol: protocol, Local: greeter{greeting, lists}, StartupTimeout: time.Minute}
	c, err := Dial(t.Context(), to, &elicit.Handler{}, nil)
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

// TestOddHandshake checks that a server is used whatever it declares in whatever form.
func TestOddHandshake(t *testing.T) {
	offers := func(string, int) (string, error) {
		return `{"tools":[{"name":"t"}],"prompts":[{"name":"p"}],"resources":[{"uri":"r:1"}]}`, nil
	}
	for declared, others := range map[string]bool{ // whether prompts and resources are asked for
		`{}`: true, `[]`: true, `true`: true, `7`: true, `null`: true, `"tools"`: true, `{"logging":{}}`: true,
		`{"experimental":[]}`: true,
		`{"tools":{}}`:        false, `{"tools":true}`: false, `{"tools":[]}`: false, `{"tools":1}`: false,
		`{"tools":{"listChanged":1}}`: false, `{"tools":false}`: true, `{"prompts":{},"resources":true}`: true,
	} {
		for _, info := range []string{
			`{"name":"shop","version":1}`, `"shop"`, `[]`, `{"name":{},"title":7}`, `{"name":"shop","icons":["a.png"]}`,
		} {
			for protocol, greeting := range map[string]string{
				mcp.LATEST_LEGACY_PROTOCOL_VERSION: `{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":%s}`,
				mcp.LATEST_PROTOCOL_VERSION: `{"supportedVersions":["2026-07-28",7],"capabilities":%s,` +
					`"_meta":{"io.modelcontextprotocol/serverInfo":%s}}`,
			} {
				c, err := greet(t, protocol, fmt.Sprintf(greeting, declared, info), offers)
				if err != nil || c.agreed() != protocol {
					t.Errorf("%s, %s: %v", declared, info, err)
					continue
				}
				tools, _, err := c.Tools(t.Context())
				if err != nil || len(tools) != 1 {
					t.Errorf("%s: %d tools, %v", declared, len(tools), err)
				}
				prompts, _, err := c.Prompts(t.Context())
				if (len(prompts) == 1) != others || others != (err == nil) {
					t.Errorf("%s: %d prompts, %v", declared, len(prompts), err)
				}
				resources, _, err := c.Resources(t.Context())
				if (len(resources) == 1) != others || others != (err == nil) {
					t.Errorf("%s: %d resources, %v", declared, len(resources), err)
				}
				if about := fmt.Sprint(c.About()); strings.Contains(info, "version") && about != "[shop]" {
					t.Errorf("%s: it is %s", info, about)
				}
			}
		}
	}
}

// TestServerWithoutTools checks that a server that declares no tools and has none is not a failure.
func TestServerWithoutTools(t *testing.T) {
	const greeting = `{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}}`
	for name, lists := range map[string]script{
		"refuses": func(string, int) (string, error) { return "", errors.New("tools are not supported") },
		"odd":     func(string, int) (string, error) { return `{"tools":"none"}`, nil },
	} {
		c, err := greet(t, "", greeting, lists)
		if err != nil {
			t.Fatal(err)
		}
		if tools, remarks, err := c.Tools(t.Context()); len(tools)+len(remarks) > 0 || err != nil {
			t.Errorf("%s: %v, %v, %v", name, tools, remarks, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		c, err := greet(t, "", greeting, func(string, int) (string, error) {
			<-silent
			return "", io.EOF
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if tools, remarks, err := c.Tools(ctx); len(tools)+len(remarks) > 0 || err != nil || ctx.Err() != nil {
			t.Errorf("it never answers: %v, %v, %v", tools, remarks, err)
		}
		close(silent)
	})
}
