package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/link"
)

const (
	maxName = 64 // bytes, which all model servers take

	// mostNames is how many may be remembered before a server that renames its tools without end makes us forget what it no longer offers.
	mostNames = 5 * link.MaxTools
)

// names gives every tool one name towards the model and never gives it to another: what a person has allowed is known by it. The zero value is
// ready.
type names struct {
	owner map[string][2]string // server and tool by name
}

// name sets the Name of each tool. They are all that their server has now.
func (n *names) name(tools []Tool) []Tool {
	if n.owner == nil {
		n.owner = map[string][2]string{}
	}
	for i := range tools {
		tools[i].Name = n.nameOf(tools[i].Server, tools[i].ServerTool)
	}
	if len(tools) > 0 && len(n.owner) > mostNames {
		n.keepOnly(tools)
	}
	return tools
}

// keepOnly forgets the other names of the server that has these tools.
func (n *names) keepOnly(tools []Tool) {
	now := map[string]bool{}
	for _, t := range tools {
		now[t.Name] = true
	}
	maps.DeleteFunc(n.owner, func(name string, owner [2]string) bool { return owner[0] == tools[0].Server && !now[name] })
}

func (n *names) nameOf(server, tool string) string {
	self := [2]string{server, tool}
	plain := cleanName(server) + "__" + cleanName(tool)
	if len(plain) <= maxName && n.take(plain, self) {
		return plain
	}
	// The suffix comes from the tool alone: it is the same tomorrow, whoever starts first.
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	for {
		suffix := "_" + hex.EncodeToString(sum[:4])
		name := plain[:min(len(plain), maxName-len(suffix))] + suffix
		if n.take(name, self) {
			return name
		}
		sum = sha256.Sum256(sum[:]) // a server that knows how names are made may have called another tool so
	}
}

// take tells whether the name is free, or the tool's own already.
func (n *names) take(name string, tool [2]string) bool {
	if owner, taken := n.owner[name]; taken && owner != tool {
		return false
	}
	n.owner[name] = tool
	return true
}

func cleanName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, s)
}
