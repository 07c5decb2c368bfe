package stdio

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// answersTo sends a line to a transport on which calls wait, and says what each of them got.
func answersTo(line string, maxLine int, ids ...string) string {
	server := New(Config{MaxLine: maxLine})
	var calls []chan answer
	for _, id := range ids {
		calls = append(calls, make(chan answer, 1))
		server.waiting[id] = calls[len(calls)-1]
	}
	readLines(strings.NewReader(line+"\n"), server.config.MaxLine, server.hear)
	var all []string
	for _, call := range calls {
		all = append(all, outcome(call))
	}
	return strings.Join(all, " ")
}

func outcome(c <-chan answer) string {
	select {
	case a := <-c:
		if a.err != nil {
			return a.err.Error()
		}
		if a.response.Error != nil {
			return a.response.Error.Message
		}
		return string(a.response.Result)
	default:
		return "-"
	}
}

func TestAnswersAreFound(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":7}`:                                            "7 -",
		`{"jsonrpc":"2.0","id":"1","result":7}`:                                          "7 -",
		`{"jsonrpc":"2.0","id":1.0,"result":7}`:                                          "7 -",
		`{"jsonrpc":"2.0","id":1.5,"result":7}`:                                          "- -",
		`{"jsonrpc":"2.0","id":null,"result":7}`:                                         "- -",
		`{"id":1,"result":7}`:                                                            "7 -",
		`{"id":1,"level":"info"}`:                                                        "- -",
		`[{"id":"aloud-2","result":8},{"id":1,"result":7},null,3]`:                       "7 8",
		`> {"jsonrpc":"2.0","id":1,"result":7}`:                                          "7 -",
		`{"jsonrpc":"2.0","id":1,"result":7}INFO done`:                                   "7 -",
		`{"jsonrpc":"2.0","id":1,"result":7}{"jsonrpc":"2.0","id":"aloud-2","result":8}`: "7 8",
		"\ufeff" + `{"jsonrpc":"2.0","id":1,"result":7}`:                                 "7 -",
		`{"msg":"{"} {"jsonrpc":"2.0","id":1,"result":7}`:                                "7 -",
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                                          "no -",
		`{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":"no"}}`:                  `{"code":"E1","message":"no"} -`,
		`{"jsonrpc":"2.0","id":1,"result":NaN}`:                                          "the answer is not JSON that can be read -",
		`{"jsonrpc":"2.0","id":3,"result":NaN}`:                                          "- -", // it is one that was given up
		`{"result":NaN,"id":1}`:                                                          "- -", // it may be the other's
	} {
		if got := answersTo(line, 0, "1", "aloud-2"); got != want {
			t.Errorf("%.80s\ngives %s\nand not %s", line, got, want)
		}
	}
}

// TestUnreadableAnswerEndsTheOnlyCall has one call wait, which must not wait for its timeout.
func TestUnreadableAnswerEndsTheOnlyCall(t *testing.T) {
	const broken, over = "the answer is not JSON that can be read", "the answer of 0 MB is over the limit of 0 MB: ask for less"
	long := strings.Repeat("x", 3000)
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1000): broken,
		`{"result":{"x":NaN},"jsonrpc":"2.0","id":1}`:                   broken,
		`{"id":1,"unfinished`: "-",
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"error":NaN}}`:             "-",
		`{"jsonrpc":"2.0","id":1,"result":{"text":"` + long + `"}}`:                                     over,
		`debug {"result":{"text":"` + long + `"},"id":1}`:                                               over,
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"result":"` + long + `"}}`: "-",
		long + `,"id":1}`: "-",
		`{"jsonrpc":"2.0","id":2,"result":{"text":"` + long + `"}}`: "-", // of a call that was given up
	} {
		if got := answersTo(line, 2000, "1"); got != want {
			t.Errorf("%.80s\ngives %s\nand not %s", line, got, want)
		}
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
