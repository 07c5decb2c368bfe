//go:build e2e && unix

package e2e

import (
	"maps"
	"strings"
)

// prompts has every prompt of server-everything by name.
var prompts = map[string]struct{ arguments, says string }{
	"simple-prompt":      {says: "This is a simple prompt without arguments."},
	"args-prompt":        {`city="Bad Ems" state=Hesse`, "What's weather in Bad Ems, Hesse?"},
	"completable-prompt": {"department=Sales name=Eve", "Please promote Eve to the head of the Sales team."},
	"resource-prompt":    {"resourceType=Text resourceId=3", "Resource 3: This is a plaintext resource"},
}

// resources has every resource of the reference servers by its mention, with a part of its text.
var resources = map[string]string{
	document + "architecture.md":       "# Everything Server – Architecture",
	document + "extension.md":          "# Everything Server - Extension Points",
	document + "features.md":           "# Everything Server - Features",
	document + "how-it-works.md":       "# Everything Server - How It Works",
	document + "instructions.md":       "# Everything Server – Server Instructions",
	document + "startup.md":            "# Everything Server - Startup Process",
	document + "structure.md":          "# Everything Server - Project Structure",
	"@memory:memory://knowledge-graph": `"entities"`,
}

const document = "@everything:demo://resource/static/document/"

// templates has every template, with a part of resource 7.
var templates = map[string]string{
	"@everything:demo://resource/dynamic/text/{resourceId}": "Resource 7: This is a plaintext resource",
	"@everything:demo://resource/dynamic/blob/{resourceId}": "Resource 7: This is a base64 blob",
}

// attachments returns every resource with a part of its text.
func attachments() map[string]string {
	all := maps.Clone(resources)
	for template, says := range templates {
		all[strings.Replace(template, "{resourceId}", "7", 1)] = says
	}
	return all
}
