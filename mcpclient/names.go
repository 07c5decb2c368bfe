package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

const (
	maxName = 64 // bytes, which all model servers take

	// mostNames is how many names are remembered before those that are no longer offered are forgotten: a server may rename its tools without end.
	mostNames = 5 * conn.MaxTools
)

// names gives every tool its name for the model: "server__tool", unless two tools would share it, then neither gets it. No name is ever given
// to another tool. The zero value is ready to use.
type names struct {
	owner  map[string]toolID
	shared map[string]bool // the plain names that several tools would share
}

// toolID identifies a tool: switches and approvals belong to it, not to a name.
type toolID struct{ server, tool string }

func idOf(t Tool) toolID { return toolID{t.Server, t.ServerTool} }

// name sets the Name of each tool of the lists, which are complete for their servers.
func (n *names) name(lists ...[]Tool) {
	if n.owner == nil {
		n.owner, n.shared = map[string]toolID{}, map[string]bool{}
	}
	for _, tools := range lists {
		for _, t := range tools {
			if plain := plainName(t); len(plain) <= maxName && !n.take(plain, idOf(t)) {
				n.shared[plain] = true
			}
		}
	}
	for _, tools := range lists {
		for i := range tools {
			tools[i].Name = n.nameOf(tools[i])
		}
	}
	if len(n.owner) <= mostNames {
		return
	}
	now, servers := map[string]bool{}, map[string]bool{}
	for _, t := range slices.Concat(lists...) {
		now[t.Name], now[plainName(t)], servers[t.Server] = true, true, true
	}
	maps.DeleteFunc(n.owner, func(name string, owner toolID) bool { return servers[owner.server] && !now[name] })
	maps.DeleteFunc(n.shared, func(name string, _ bool) bool { return !now[name] })
}

func (n *names) nameOf(t Tool) string {
	plain := plainName(t)
	if len(plain) <= maxName && !n.shared[plain] {
		return plain
	}
	// The suffix comes from the tool alone: it is the same tomorrow, whoever starts first.
	sum := sha256.Sum256([]byte(t.Server + "\x00" + t.ServerTool))
	for {
		suffix := "_" + hex.EncodeToString(sum[:4])
		name := plain[:min(len(plain), maxName-len(suffix))] + suffix
		if n.take(name, idOf(t)) && !n.shared[name] {
			return name
		}
		sum = sha256.Sum256(sum[:]) // a server that knows how names are made may have called another tool so
	}
}

// take reports whether the name is free, or the tool's own already.
func (n *names) take(name string, tool toolID) bool {
	if owner, taken := n.owner[name]; taken && owner != tool {
		return false
	}
	n.owner[name] = tool
	return true
}

func plainName(t Tool) string { return cleanName(t.Server) + "__" + cleanName(t.ServerTool) }

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
