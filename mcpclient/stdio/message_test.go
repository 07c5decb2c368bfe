package stdio

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
)

// repliesTo handles a line while requests are open, and returns the reply to each.
func repliesTo(line string, maxLine int, ids ...string) string {
	server := newLines(cmp.Or(maxLine, 1<<20), nil)
	var calls []chan reply
	for _, id := range ids {
		calls = append(calls, make(chan reply, 1))
		server.waiting[id] = calls[len(calls)-1]
	}
	server.read(strings.NewReader(line + "\n"))
	var all []string
	for _, call := range calls {
		all = append(all, outcome(call))
	}
	return strings.Join(all, " ")
}

func outcome(c <-chan reply) string {
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

func TestResponsesInOddLines(t *testing.T) {
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
		`{"jsonrpc":"2.0","id":1,"result":NaN}`:                                          "the response is not valid JSON -",
		// the response to a cancelled request
		`{"jsonrpc":"2.0","id":3,"result":NaN}`: "- -",
		`{"result":NaN,"id":1}`:                 "- -", // ambiguous
	} {
		if got := repliesTo(line, 0, "1", "aloud-2"); got != want {
			t.Errorf("%.80s\ngives %s\nwant %s", line, got, want)
		}
	}
}

func TestInvalidResponseEndsTheOnlyRequest(t *testing.T) {
	const broken, over = "the response is not valid JSON", "the response of 0 MB is larger than 0 MB: request less"
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
		`{"jsonrpc":"2.0","id":2,"result":{"text":"` + long + `"}}`: "-", // the response to a cancelled request
	} {
		if got := repliesTo(line, 2000, "1"); got != want {
			t.Errorf("%.80s\ngives %s\nwant %s", line, got, want)
		}
	}
}

func TestServerRequestKeepsItsID(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.5`, `-1`, `"\u001b"`} {
		var asked []string
		server := NewWire(nil, func(m Message) {
			if m.ID == nil {
				asked = append(asked, "notification "+m.Method)
				return
			}
			raw, err := json.Marshal(Message{ID: m.ID, Result: json.RawMessage("{}")})
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, m.Method, string(raw))
		})
		server.Receive([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		server.Receive([]byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
		if got, want := strings.Join(asked, " "),
			`ping {"jsonrpc":"2.0","id":`+id+`,"result":{}} notification ping`; got != want {
			t.Errorf("id %s: %s, want %s", id, got, want)
		}
	}
}
