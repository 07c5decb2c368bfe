//go:build e2e && unix

package e2e

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestTheTablesHaveAllOfTheReferenceServers asks the servers themselves, with nothing of aloud in between: what is new in one of them has to go into
// the tables before this passes.
func TestTheTablesHaveAllOfTheReferenceServers(t *testing.T) {
	for server, calls := range uses {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			tools, itsPrompts, itsResources, itsTemplates := lists(t, bare(t, server))
			tools = slices.DeleteFunc(tools, func(name string) bool { return name == "simulate-research-query" }) // runs only as a task
			same(t, "tool", tools, toolsOf(calls))
			same(t, "resource", itsResources, of(server, resources))
			same(t, "template", itsTemplates, of(server, templates))
			if server != "everything" {
				same(t, "prompt", itsPrompts, nil)
				return
			}
			same(t, "prompt", itsPrompts, slices.Sorted(maps.Keys(prompts)))
		})
	}
}

func toolsOf(calls []use) (names []string) {
	for _, u := range calls {
		names = append(names, u.tool)
	}
	return names
}

// bare connects mcp-go's own client to a reference server. It says that it can do all that has a tool of server-everything depend on it.
func bare(t *testing.T, server string) *client.Client {
	t.Helper()
	args := map[string][]string{
		"everything": {serverProgram("everything"), "stdio"},
		"notes":      {serverProgram("filesystem"), t.TempDir()},
	}[server]
	if args == nil {
		args = []string{serverProgram(server)}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "MEMORY_FILE_PATH=" + t.TempDir() + "/memory.jsonl"}
	c := client.NewClient(transport.NewStdio("node", env, args...), client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	t.Cleanup(func() { _ = c.Close() }) // says how its process ended
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.Capabilities = mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
		Roots: &struct {
			ListChanged bool `json:"listChanged,omitempty"`
		}{},
	}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return c
}

// lists are what the server offers: tools, prompts, resources and templates, by name.
func lists(t *testing.T, c *client.Client) (tools, prompts, resources, templates []string) {
	t.Helper()
	ctx, has := t.Context(), c.GetServerCapabilities()
	offeredTools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range offeredTools.Tools {
		tools = append(tools, tool.Name)
	}
	if has.Prompts != nil {
		offered, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range offered.Prompts {
			prompts = append(prompts, p.Name)
		}
	}
	if has.Resources == nil {
		return tools, prompts, nil, nil
	}
	offered, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range offered.Resources {
		resources = append(resources, r.URI)
	}
	dynamic, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range dynamic.ResourceTemplates {
		templates = append(templates, r.URITemplate.Raw())
	}
	return tools, prompts, resources, templates
}

// same tells what is in one list and not in the other.
func same(t *testing.T, kind string, offered, used []string) {
	t.Helper()
	for _, name := range offered {
		if !slices.Contains(used, name) {
			t.Errorf("nobody uses the %s %q", kind, name)
		}
	}
	for _, name := range used {
		if !slices.Contains(offered, name) {
			t.Errorf("there is no %s %q", kind, name)
		}
	}
}
