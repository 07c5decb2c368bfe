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

// The most that the list of resources names, and looks at for it. The template is for the rest.
const (
	maxListed = 200  // files
	maxSeen   = 5000 // entries
)

// offer adds the files as resources: a list of those in and near the top of the folder, as it is when the client asks,
// and a template for all.
func (f folder) offer(s *server.MCPServer, hooks *server.Hooks) {
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		result.Resources = f.resources(ctx)
	})
	template := mcp.NewResourceTemplate(f.uri(".")+"/{+path}", "file", mcp.WithTemplateDescription("a file by its path in the folder"))
	s.AddResourceTemplate(template, f.resource)
}

// uri is the address of a file.
func (f folder) uri(name string) string {
	full := filepath.ToSlash(f.full(name))
	return strings.TrimSuffix((&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(full, "/")}).String(), "/")
}

// resources lists files, those of a folder before those in its folders. What a search leaves out is left out.
func (f folder) resources(ctx context.Context) []mcp.Resource {
	list := []mcp.Resource{} // not nil: an empty folder has an empty list, and null is against the protocol
	w := walk{folder: f, most: maxSeen}
	for name, entry := range w.below(ctx, ".") {
		if entry.Type().IsRegular() {
			list = append(list, mcp.NewResource(f.uri(name), name, mcp.WithMIMEType(mime.TypeByExtension(path.Ext(name)))))
		}
		if len(list) == maxListed {
			break
		}
	}
	return list
}

// resource reads a file. There is no approval before that, so files that usually hold secrets are refused.
func (f folder) resource(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	address, err := url.Parse(r.Params.URI)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a file", sanitize.Clip(r.Params.URI, 200))
	}
	full := filepath.FromSlash(address.Path)
	if !strings.HasPrefix(f.root.Name(), "/") { // C:\notes is /C:/notes in an address
		full = strings.TrimPrefix(full, string(filepath.Separator))
	}
	name, err := f.name(full)
	if err != nil {
		return nil, err
	}
	if f.holdsSecrets(name) {
		return nil, fmt.Errorf("%q usually holds secrets, and is read only by read_file, which asks first", sanitize.Clip(name, 200))
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

// Sources are the addresses of what a call reads, as far as its arguments tell: the file of read_file.
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
