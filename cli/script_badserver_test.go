package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// badServer is the program bad-server of the scripts: an MCP server that misbehaves as its argument says. It implements
// the protocol itself, because libraries prevent such errors.
func badServer() {
	mode := os.Args[1]
	switch mode {
	case "die":
		fmt.Fprintln(os.Stderr, "\x1b[31mno token\x07")
		os.Exit(3)
	case "late": // wait for a line in the pipe
		pipe, err := os.Open(os.Args[2])
		if err != nil {
			os.Exit(5)
		}
		_, _ = bufio.NewReader(pipe).ReadString('\n')
	case "garbage":
		fmt.Print("Welcome!\x1b[2J\n{\"x\":\n")
	}
	offers := true
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var ask struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Capabilities    struct{ Roots, Elicitation *struct{} }
			}
		}
		if json.Unmarshal(in.Bytes(), &ask) != nil || ask.ID == nil || mode == "hang" {
			continue
		}
		answer := func(format string, values ...any) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", ask.ID, fmt.Sprintf(format, values...))
		}
		switch ask.Method {
		case "initialize":
			can := ask.Params.Capabilities
			offers = mode != "choosy" || can.Roots != nil && can.Elicitation != nil
			answer(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"1"}}`,
				ask.Params.ProtocolVersion)
		case "tools/list":
			if !offers {
				answer(`{"tools":[]}`)
				continue
			}
			answer(`{"tools":[{"name":"look_up","title":"Look\u001b[31m Up\u0007","description":"Looks up the ` +
				`weather\u202e.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["degrees"]},` +
				`"annotations":{"readOnlyHint":true}}]}`)
		case "tools/call":
			callBadly(mode, answer)
		}
	}
}

func callBadly(mode string, answer func(string, ...any)) {
	switch mode {
	case "hang-call":
	case "die-call":
		os.Exit(4)
	case "picture":
		answer(`{"content":[{"type":"image","mimeType":"image/gif","data":"R0lGODlhAQABAA=="}],` +
			`"structuredContent":{"degrees\u001b[2J":7}}`)
	case "large":
		answer(`{"content":[{"type":"text","text":"%s"}]}`, strings.Repeat(weather(), 50))
	default:
		answer(`{"content":[{"type":"text","text":"\u001b[31msunny\u0007\u001b]0;evil\u202e \u009b31m"}]}`)
	}
}

// weather returns a megabyte of weather that does not repeat itself.
func weather() string {
	var b strings.Builder
	random := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 1<<20 {
		b.WriteString("sun and " + []string{"rain", "snow", "wind", "fog"}[random.IntN(4)] + ", ")
	}
	return b.String()
}
