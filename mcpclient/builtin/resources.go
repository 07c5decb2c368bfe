package builtin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/sanitize"
)

// Limits of the list of resources. The template covers all files.
const (
	maxListed = 200  // files
	maxSeen   = 5000 // entries to look at
)

// addResources adds the files as resources: a list of files near the top of the folder, made at each request, and a
// template for all files.
func (f folder) addResources(s *server.MCPServer, hooks *server.Hooks) {
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
		r.Resources = f.resources(ctx)
	})
	about := mcp.WithTemplateDescription("a file by its path in the folder")
	s.AddResourceTemplate(mcp.NewResourceTemplate(f.uri(".")+"/{+path}", "file", about), f.resource)
}

// uri returns the URI of a file.
func (f folder) uri(name string) string {
	full := filepath.ToSlash(f.full(name))
	return strings.TrimSuffix((&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(full, "/")}).String(), "/")
}

// resources lists the files that a search would read, the top of the folder first.
func (f folder) resources(ctx context.Context) []mcp.Resource {
	list := []mcp.Resource{} // not nil, because null violates the protocol
	w := walk{folder: f, most: maxSeen}
	for name, entry := range w.below(ctx, ".") {
		if entry.Type().IsRegular() {
			kind := mcp.WithMIMEType(mime.TypeByExtension(path.Ext(name)))
			list = append(list, mcp.NewResource(f.uri(name), name, kind))
		}
		if len(list) == maxListed {
			break
		}
	}
	return list
}

// resource reads a file. It refuses files that usually hold secrets, because resources need no approval.
func (f folder) resource(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	address, err := url.Parse(r.Params.URI)
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a file", sanitize.Clip(r.Params.URI, 200))
	}
	full := filepath.FromSlash(address.Path)
	if !strings.HasPrefix(f.root.Name(), "/") { // C:\notes is /C:/notes in a URI
		full = strings.TrimPrefix(full, string(filepath.Separator))
	}
	name, err := f.name(full)
	if err != nil {
		return nil, err
	}
	if f.holdsSecrets(name) {
		return nil, fmt.Errorf("%q usually holds secrets. Use read_file, which asks the user", sanitize.Clip(name, 200))
	}
	content, kind, err := f.readAll(name)
	if err != nil {
		return nil, err
	}
	if isUTF8(kind) {
		return []mcp.ResourceContents{mcp.TextResourceContents{
			URI: r.Params.URI, MIMEType: "text/plain", Text: strings.ToValidUTF8(string(content), "\ufffd"),
		}}, nil
	}
	return []mcp.ResourceContents{mcp.BlobResourceContents{
		URI: r.Params.URI, MIMEType: kind, Blob: base64.StdEncoding.EncodeToString(content),
	}}, nil
}

// Sources returns the URIs that a call reads: the file of read_file.
func (f folder) Sources(tool string, arguments json.RawMessage) []string {
	if tool != "read_file" {
		return nil
	}
	name, err := f.file(call(tool, arguments))
	if err != nil {
		return nil
	}
	return []string{f.uri(name)}
}
