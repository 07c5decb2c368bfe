package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

const maxName = 64 // bytes, the limit of model servers

// toolID identifies a tool.
type toolID struct{ server, tool string }

func idOf(t mcpclient.Tool) toolID { return toolID{t.Server, t.ServerTool} }

// nameTools sets the Name of every tool: "server__tool". Tools that would have the same name all get a suffix.
func nameTools(lists ...[]mcpclient.Tool) {
	wanted := map[string]int{}
	for _, t := range slices.Concat(lists...) {
		wanted[plainName(t)]++
	}
	for _, tools := range lists {
		for i, t := range tools {
			name := plainName(t)
			sum := sha256.Sum256([]byte(t.Server + "\x00" + t.ServerTool)) // the same in every session
			for plain := name; len(name) > maxName || wanted[name] > 1; sum = sha256.Sum256(sum[:]) {
				suffix := "_" + hex.EncodeToString(sum[:4])
				name = plain[:min(len(plain), maxName-len(suffix))] + suffix
				wanted[name]++
			}
			tools[i].Name = name
		}
	}
}

func plainName(t mcpclient.Tool) string { return cleanName(t.Server) + "__" + cleanName(t.ServerTool) }

// unclean matches a character that names must not have.
var unclean = sanitize.Pattern(`[^A-Za-z0-9_-]`)

func cleanName(s string) string { return unclean().ReplaceAllString(s, "_") }
