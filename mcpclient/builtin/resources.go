package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Limits of the list of resources. The template covers all files.
const (
	maxListed = 200  // files
	maxSeen   = 5000 // entries to look at
)

// uri returns the URI of a file.
func (f folder) uri(name string) string {
	full := filepath.ToSlash(f.full(name))
	return strings.TrimSuffix((&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(full, "/")}).String(), "/")
}

// resources lists the files that a search would read, the top of the folder first.
func (f folder) resources(ctx context.Context) []*mcp.Resource {
	list := []*mcp.Resource{} // not nil, because null violates the protocol
	w := walk{folder: f, most: maxSeen, rules: map[string][]ignoreRule{}}
	for name, entry := range w.below(ctx, ".") {
		if entry.Type().IsRegular() {
			list = append(list, &mcp.Resource{URI: f.uri(name), Name: name})
		}
		if len(list) == maxListed {
			break
		}
	}
	return list
}

// resource reads a file. It refuses files that usually hold secrets, because resources need no approval.
func (f folder) resource(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	argument, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, f.uri(".")+"/"))
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a file", sanitize.Clip(r.Params.URI, 200))
	}
	name, err := f.name(argument)
	if err != nil {
		return nil, err
	}
	if f.holdsSecrets(name) && !f.asked {
		return nil, unasked(name)
	} else if f.holdsSecrets(name) {
		return nil, fmt.Errorf("%q usually holds secrets. Use read_file, which asks the user", sanitize.Clip(name, 200))
	}
	content, kind, err := f.readAll(name)
	if err != nil {
		return nil, err
	}
	one := &mcp.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain"}
	if isUTF8(kind) && len(content) > 0 { // the SDK sends no empty text
		one.Text = strings.ToValidUTF8(string(content), "\ufffd")
	} else {
		one.Blob, one.MIMEType = content, kind
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{one}}, nil
}

// Sources returns the URIs that a call reads: the file of read_file.
func (f folder) Sources(tool string, given json.RawMessage) []string {
	if name, err := f.file(parse(given)); err == nil && tool == "read_file" {
		return []string{f.uri(name)}
	}
	return nil
}
