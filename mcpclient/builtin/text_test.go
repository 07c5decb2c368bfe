package builtin_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Files that look like something else at the start, or in one encoding or another, and all contain the word needle.
var (
	texts = map[string]string{
		"bmi.txt":      "BMI calculator: needle\n",
		"pdf.md":       "%PDF- is how such files begin: needle\n",
		"gif.txt":      "GIF89a and needle\n",
		"zip.txt":      "PK\x03\x04 needle\n",
		"script.ps":    "%!PS-Adobe-3.0\nneedle\n",
		"control.txt":  "\x01 needle\n",
		"latin1.txt":   "BM caf\xe9 needle\n",
		"wide.txt":     "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00",
		"widebig.txt":  "\xfe\xff\x00n\x00e\x00e\x00d\x00l\x00e\x00\n",
		"marked.txt":   "\ufeffneedle\n",
		"long.txt":     strings.Repeat("ä", 40_000) + "\nneedle\n",
		"longmore.txt": "x" + strings.Repeat("ä", 40_000) + "\nneedle\n", // the other byte of ä is where reading stops
	}
	binaries = map[string]string{
		"picture.png": "\x89PNG\r\n\x1a\n\x00\x00needle\n",
		"picture.bmp": "BM\x36\x00\x00\x00needle\n",
		"late.bin":    strings.Repeat("text ", 1000) + "\x00needle\n",
		"paper.pdf":   "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n\x01\x02needle\n",
		"wide.bin":    "\xff\xfen\x00e\x00\x00\x00n\x00e\x00e\x00d\x00l\x00e\x00",
	}
)

func TestTextIsJudgedByBytes(t *testing.T) {
	files := maps.Clone(texts)
	maps.Copy(files, binaries)
	c, dir := serve(t, files)
	uri := "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/"
	found := succeeds(t, c, "search_files", args{"text": "needle"}, "[5 not searched: ")
	for name := range texts {
		succeeds(t, c, "read_file", args{"path": name, "limit": 2}, "")
		if !strings.Contains(found, name+":") {
			t.Errorf("needle is not found in %q", name)
		}
		isWide := strings.HasPrefix(name, "wide")
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri + name})
		if err != nil || (r.Contents[0].Text == "") != isWide {
			t.Errorf("the resource %q is %+v, %v", name, r, err)
		}
		if !isWide {
			succeeds(t, c, "edit_file", args{"path": name, "old_text": "needle", "new_text": "pin"}, "Changed")
			holds(t, dir, name, strings.Replace(files[name], "needle", "pin", 1))
		}
	}
	for name := range binaries {
		fails(t, c, "read_file", args{"path": name}, " is not text (")
		fails(t, c, "edit_file", args{"path": name, "old_text": "needle", "new_text": "pin"}, " cannot be changed")
		if strings.Contains(found, name+":") {
			t.Errorf("needle is found in %q", name)
		}
	}
}
