package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestServerRequestKeepsItsID(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.5`, `-1`, `"\u001b"`} {
		var asked []string
		server := NewWire(nil, func(m Message) {
			if m.ID == nil {
				asked = append(asked, "notification "+string(m.Method))
				return
			}
			raw, err := json.Marshal(Message{ID: m.ID, Result: json.RawMessage("{}")})
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, string(m.Method), string(raw))
		})
		server.Receive([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		server.Receive([]byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
		if got, want := strings.Join(asked, " "),
			`ping {"jsonrpc":"2.0","id":`+id+`,"result":{}} notification ping`; got != want {
			t.Errorf("id %s: %s, want %s", id, got, want)
		}
	}
}
