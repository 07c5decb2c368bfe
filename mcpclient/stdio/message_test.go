package stdio

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestAnswersAreFound sends lines to a transport on which the calls 1 and "aloud-2" wait, and tells what each of them got.
func TestAnswersAreFound(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":7}`:                                                        "7 -",
		`{"jsonrpc":"2.0","id":"1","result":7}`:                                                      "7 -",
		`{"jsonrpc":"2.0","id":1.0,"result":7}`:                                                      "7 -",
		`{"jsonrpc":"2.0","id":1.5,"result":7}`:                                                      "- -",
		`{"jsonrpc":"2.0","id":null,"result":7}`:                                                     "- -",
		`{"id":1,"result":7}`:                                                                        "7 -",
		`{"id":1,"level":"info"}`:                                                                    "- -",
		`[{"id":"aloud-2","result":8},{"id":1,"result":7},null,3]`:                                   "7 8",
		`> {"jsonrpc":"2.0","id":1,"result":7}`:                                                      "7 -",
		`{"jsonrpc":"2.0","id":1,"result":7}INFO done`:                                               "7 -",
		`{"jsonrpc":"2.0","id":1,"result":7}{"jsonrpc":"2.0","id":"aloud-2","result":8}`:             "7 8",
		"\ufeff" + `{"jsonrpc":"2.0","id":1,"result":7}`:                                             "7 -",
		`{"msg":"{"} {"jsonrpc":"2.0","id":1,"result":7}`:                                            "7 -",
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                                                      "no -",
		`{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":"no"}}`:                              "E1: no -",
		`{"jsonrpc":"2.0","id":"aloud-2","error":{"code":1.5,"message":["no"]}}`:                     "- [no]",
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 20_000):                            "the answer is not JSON that can be read -",
		`{"jsonrpc":"2.0","result":{"id":5,"x":` + strings.Repeat("[", 20_000) + `},"id":"aloud-2"}`: "- the answer is not JSON that can be read",
		`{"id":1,"unfinished`:                                                                        "- -",
		`{"jsonrpc":"2.0","result":{"id":1,"x":NaN},"id":"aloud-2"}`:                                 "- the answer is not JSON that can be read",
		`{"jsonrpc":"2.0","result":{"id":1,"x":NaN}`:                                                 "- -",
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"x":NaN}}`:              "- -",
		`{"jsonrpc":"2.0","id":1.5,"result":NaN}`:                                                    "- -",
	} {
		server := New(Config{})
		one, two := make(chan *transport.JSONRPCResponse, 1), make(chan *transport.JSONRPCResponse, 1)
		server.waiting["1"], server.waiting["aloud-2"] = one, two
		server.receive([]byte(line + "\n"))
		if got := outcome(one) + " " + outcome(two); got != want {
			t.Errorf("%.80s\ngives %s\nand not %s", line, got, want)
		}
	}
}

func outcome(c <-chan *transport.JSONRPCResponse) string {
	select {
	case r := <-c:
		if r.Error != nil {
			return r.Error.Message
		}
		return string(r.Result)
	default:
		return "-"
	}
}

func TestRequestsOfTheServerKeepTheirIDs(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.5`, `-1`, `"\u001b"`} {
		server := New(Config{})
		var asked []string
		server.SetRequestHandler(func(r transport.JSONRPCRequest) {
			raw, err := json.Marshal(transport.NewJSONRPCResultResponse(r.ID, json.RawMessage("{}")))
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, r.Method, string(raw))
		})
		server.SetNotificationHandler(func(n mcp.JSONRPCNotification) { asked = append(asked, "told "+n.Method) })
		server.receive([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		server.receive([]byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
		if got, want := strings.Join(asked, " "), `ping {"jsonrpc":"2.0","id":`+id+`,"result":{}} told ping`; got != want {
			t.Errorf("the id %s: %s, want %s", id, got, want)
		}
	}
}

// TestALineOverTheLimitAnswersItsOwnCall cuts lines as a transport does that keeps only their ends, and tells what the calls 7 and 8 got.
func TestALineOverTheLimitAnswersItsOwnCall(t *testing.T) {
	long := strings.Repeat("x", 2*keptOfLong)
	const over = "the answer of 0 MB is over the limit of 0 MB: ask for less"
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{"id":8,"text":"` + long + `","id":8}}`:                  over + " -",
		`{"id":7,"jsonrpc":"2.0","result":{"id":8,"text":"` + long + `","id":8}}`:                  over + " -",
		`{"id":7,"jsonrpc":"2.0","method":"ping","params":{"x":"` + long + `"}}`:                   "- -",
		`{"jsonrpc": "2.0", "result": {"id": 7, "text": "` + long + `", "id": 7}, "id": 8}`:        "- " + over,
		`{"result":{"id":7,"text":"` + long + `"},"id":8,"jsonrpc":"2.0"}` + "\r":                  "- " + over,
		`{"error":{"id":7,"message":"` + long + `"},"id":8}`:                                       "- " + over,
		`{"result":{"text":"` + long + `","id":7}}`:                                                "- -",
		`{"result":"` + long + `\",\"id\":7}"}`:                                                    "- -",
		`{"result":"\"id\":7,` + long + `","id":8}`:                                                "- " + over,
		`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"x":"` + long + `"}}`: "- -",
		`{"params":{"result":1,"x":"` + long + `"},"method":"sampling/createMessage","id":7}`:      "- -",
		`{"level":"info","id":7,"text":"` + long + `","id":8}`:                                     "- -",
		`debug {"jsonrpc":"2.0","id":7,"result":"` + long + `"}`:                                   over + " -",
		long + `,"id":7}`: "- -",
	} {
		server := New(Config{MaxLine: keptOfLong})
		seven, eight := make(chan *transport.JSONRPCResponse, 1), make(chan *transport.JSONRPCResponse, 1)
		server.waiting["7"], server.waiting["8"] = seven, eight
		readLines(strings.NewReader(line+"\n"), server.config.MaxLine, server.hear, server.hearLong)
		if got := outcome(seven) + " " + outcome(eight); got != want {
			t.Errorf("%.80s\ngives %s\nand not %s", line, got, want)
		}
	}
}
