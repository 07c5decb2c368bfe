package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
)

// ValidName makes a name for a server of what another program calls it. Of a name in a catalogue, io.github.someone/server, the last part is enough.
func ValidName(name string) string {
	if last := name[strings.LastIndexByte(name, '/')+1:]; last != "" {
		name = last
	}
	var b strings.Builder
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
		switch {
		case b.Len() >= config.LongestName:
		case letter:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if valid := strings.TrimRight(b.String(), "-"); valid != "" {
		return valid
	}
	return "server"
}

// freeName is a valid name that no server has yet, with a number if it must be.
func (p *Plan) freeName(wanted string) string {
	base := ValidName(wanted)
	name := base
	for n := 2; p.isTaken(name); n++ {
		number := fmt.Sprintf("-%d", n)
		name = base[:min(len(base), config.LongestName-len(number))] + number
	}
	return name
}

func (p *Plan) isTaken(name string) bool {
	return slices.ContainsFunc(p.options.Config.Servers, func(s config.Server) bool { return s.Name == name }) ||
		slices.ContainsFunc(p.servers, func(s server) bool { return s.entry.Name == name })
}
