package shape

import (
	"go/ast"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/aloudchat/aloud"

// mayImport lists which of our packages each package may import. cli may import any. A new package must be added here.
var mayImport = map[string][]string{
	".": {"cli"},
	"config": {"internal/atomicfile", "internal/netaddr", "internal/sanitize", "internal/secret",
		"internal/suggest", "internal/theme"},
	"config/importer": {"config", "internal/atomicfile", "internal/quantity", "internal/sanitize",
		"internal/secret"},
	"e2e":                    {},
	"e2e/badserver":          {},
	"e2e/badserver/run":      {"e2e/badserver"},
	"e2e/conformance":        {},
	"e2e/conformance/client": {"mcpclient", "mcpclient/elicit", "mcpclient/oauth", "mcpclient/servers"},
	"e2e/oauthtest":          {},
	"e2e/ollama":             {"e2e/tinymodel"},
	"e2e/pictures":           {"e2e/ollama", "e2e/terminal", "e2e/tinymodel"},
	"e2e/recording":          {"mcpclient", "provider", "provider/loop", "provider/repair", "status"},
	"e2e/slowserver":         {},
	"e2e/terminal":           {},
	"e2e/tinymodel":          {},
	"eval": {"internal/atomicfile", "internal/jsonschema", "internal/quantity", "internal/sanitize", "mcpclient",
		"mcpclient/builtin", "mcpclient/elicit", "mcpclient/servers", "provider", "provider/event", "provider/loop",
		"provider/repair"},
	"headless": {"internal/atomicfile", "internal/quantity", "internal/sanitize", "mcpclient",
		"mcpclient/elicit", "provider", "provider/attach", "provider/event", "session/live", "status"},
	"internal/atomicfile": {},
	"internal/fuzzy":      {},
	"internal/jsonschema": {"internal/sanitize"},
	"internal/netaddr":    {"internal/atomicfile"},
	"internal/picture":    {"internal/quantity"},
	"internal/quantity":   {},
	"internal/sanitize":   {},
	"internal/secret":     {"internal/sanitize"},
	"internal/sse":        {},
	"internal/suggest":    {},
	"internal/tabletest":  {},
	"internal/theme":      {"internal/sanitize"},
	"mcpclient":           {"internal/jsonschema", "internal/netaddr", "internal/sanitize"},
	"mcpclient/builtin":   {"internal/atomicfile", "internal/netaddr", "internal/quantity", "internal/sanitize"},
	"mcpclient/conn": {"internal/jsonschema", "internal/netaddr", "internal/quantity", "internal/sanitize",
		"internal/secret", "internal/sse", "mcpclient", "mcpclient/elicit", "mcpclient/jsonrpc",
		"mcpclient/stdio"},
	"mcpclient/elicit": {"internal/jsonschema", "internal/netaddr", "internal/sanitize", "internal/secret",
		"mcpclient/jsonrpc"},
	"mcpclient/jsonrpc": {},
	"mcpclient/mcptest": {},
	"mcpclient/oauth": {"internal/atomicfile", "internal/netaddr", "internal/sanitize", "mcpclient",
		"mcpclient/conn"},
	"mcpclient/servers": {"internal/sanitize", "internal/secret", "mcpclient", "mcpclient/conn",
		"mcpclient/elicit", "mcpclient/jsonrpc"},
	"mcpclient/stdio": {"internal/sanitize", "mcpclient/jsonrpc"},
	"provider":        {"internal/quantity", "internal/sanitize", "mcpclient"},
	"provider/attach": {"internal/picture", "internal/quantity", "internal/sanitize", "internal/suggest", "mcpclient",
		"provider"},
	"provider/demo":     {"internal/sanitize", "provider"},
	"provider/endpoint": {"internal/netaddr", "internal/sanitize", "internal/secret", "internal/sse", "provider"},
	"provider/event":    {"internal/quantity", "internal/sanitize", "mcpclient", "provider"},
	"provider/loop": {"internal/jsonschema", "internal/quantity", "internal/sanitize", "mcpclient", "provider",
		"provider/event", "provider/pace", "provider/repair"},
	"provider/ollama": {"internal/jsonschema", "internal/netaddr", "internal/sanitize", "internal/secret",
		"provider", "provider/endpoint", "provider/pace"},
	"provider/openai": {"internal/jsonschema", "internal/netaddr", "internal/sanitize", "internal/secret",
		"internal/sse", "provider", "provider/endpoint"},
	"provider/pace":         {"internal/atomicfile", "provider"},
	"provider/providertest": {"provider"},
	"provider/repair":       {"internal/jsonschema", "internal/sanitize", "provider"},
	"scripts/count":         {},
	"session": {"internal/atomicfile", "internal/quantity", "internal/sanitize", "provider", "provider/event",
		"provider/pace", "status", "status/tape"},
	"session/live": {"internal/sanitize", "mcpclient", "provider", "provider/attach", "provider/event",
		"provider/loop", "session", "status"},
	"status": {"internal/quantity", "internal/sanitize", "mcpclient", "provider", "provider/event",
		"status/tape"},
	"status/tape": {"internal/quantity", "internal/sanitize", "provider/event"},
	"ui": {"internal/quantity", "internal/sanitize", "internal/suggest", "internal/theme", "mcpclient",
		"mcpclient/elicit", "provider", "provider/attach", "provider/event", "session", "session/live",
		"status", "status/tape", "ui/composer", "ui/dialog", "ui/look", "ui/markdown", "ui/screen",
		"ui/transcript"},
	"ui/composer": {"internal/atomicfile", "internal/fuzzy", "internal/sanitize", "internal/secret", "mcpclient",
		"provider/attach", "ui/look"},
	"ui/dialog": {"internal/fuzzy", "internal/quantity", "internal/sanitize", "internal/theme", "mcpclient",
		"mcpclient/elicit", "provider", "provider/event", "ui/look", "ui/markdown", "ui/screen"},
	"ui/look":          {"internal/sanitize", "internal/theme", "status/tape", "ui/markdown"},
	"ui/markdown":      {"internal/sanitize", "ui/markdown/math"},
	"ui/markdown/math": {},
	"ui/screen":        {"internal/sanitize", "ui/look"},
	"ui/transcript": {"internal/picture", "internal/quantity", "internal/sanitize", "mcpclient", "provider",
		"provider/event", "session", "status", "status/tape", "ui/look", "ui/markdown"},
}

// terminalLibraries may only be imported by ui and the packages below it.
var terminalLibraries = []string{"charm.land/bubbletea/", "charm.land/bubbles/", "charm.land/lipgloss/",
	"charm.land/glamour/"}

// readOnly are the packages below ui that draw text and must not handle keys.
var readOnly = []string{"ui/markdown", "ui/transcript"}

// TestImports checks that packages only import what mayImport lists, and all of it. Tests may import more.
func TestImports(t *testing.T) {
	all := packages(t)
	for dir := range mayImport {
		if all[dir] == nil {
			t.Errorf("the package %q does not exist: remove it from mayImport", dir)
		}
	}
	for dir, files := range all {
		allowed, known := mayImport[dir]
		if dir != "cli" && !known {
			t.Errorf("the package %q is not in mayImport: say there what it may import", dir)
			continue
		}
		used := map[string]bool{}
		for _, imported := range imports(t, files) {
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			if isOurs && dir != "cli" && !slices.Contains(allowed, ours) {
				t.Errorf("%q must not import %q", dir, ours)
			}
			used[ours] = true
			isScreen := slices.ContainsFunc(terminalLibraries, func(lib string) bool { return strings.HasPrefix(imported, lib) })
			if isScreen && dir != "ui" && !strings.HasPrefix(dir, "ui/") {
				t.Errorf("%q must not import %q: only ui knows how a screen is drawn", dir, imported)
			}
			if slices.Contains(readOnly, dir) && strings.HasPrefix(imported, "charm.land/bubble") {
				t.Errorf("%q must not import %q: what is read knows nothing of keys", dir, imported)
			}
		}
		for _, other := range allowed {
			if !used[other] {
				t.Errorf("%q does not import %q: remove it from mayImport", dir, other)
			}
		}
	}
}

// TestPackageComments checks that each package has its package comment in exactly one file.
func TestPackageComments(t *testing.T) {
	for dir, files := range packages(t) {
		var commented []string
		for name, file := range files {
			if file.Doc != nil {
				commented = append(commented, name)
			}
		}
		slices.Sort(commented)
		if len(commented) != 1 {
			t.Errorf("%q has its package comment in %q, want it in exactly one file", dir, commented)
		}
	}
}

// imports lists the imports of files without duplicates.
func imports(t *testing.T, files map[string]*ast.File) []string {
	t.Helper()
	var paths []string
	for _, file := range files {
		for _, spec := range file.Imports {
			paths = append(paths, strings.Trim(spec.Path.Value, `"`))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// heavy are packages that take long to initialise, or that bring in such packages or much code. Of mcp-go only mcp is
// light: its other packages bring in a second library for schemas.
var heavy = []string{"github.com/alecthomas/chroma", "github.com/mark3labs/mcp-go/client",
	"github.com/mark3labs/mcp-go/server", "github.com/mark3labs/mcp-go/mcptest", "github.com/santhosh-tekuri/jsonschema"}

// TestProgramHasNoHeavyPackages also checks the packages that our dependencies import.
func TestProgramHasNoHeavyPackages(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for imported := range strings.Lines(string(out)) {
		if slices.ContainsFunc(heavy, func(name string) bool { return strings.HasPrefix(imported, name) }) {
			t.Errorf("the program imports %s", imported)
		}
	}
}
