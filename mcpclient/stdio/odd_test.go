package stdio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// repliesTo handles a line while requests are open, and returns the reply to each.
func repliesTo(t *testing.T, line string, maxLine int, ids ...string) string {
	t.Helper()
	all := make([]string, len(ids))
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		server := newLines(cmp.Or(maxLine, 1<<20), nil)
		for i, id := range ids {
			go func() { all[i] = outcome(server.Call(ctx, jsonrpc.Message{ID: json.RawMessage(id), Method: "ping"})) }()
		}
		synctest.Wait()
		server.read(strings.NewReader(line + "\n"))
		synctest.Wait()
		stop()
		synctest.Wait()
	})
	return strings.Join(all, " ")
}

func outcome(response jsonrpc.Message, err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "-"
	case err != nil:
		return err.Error()
	case response.Error != nil:
		return response.Error.Message
	}
	return string(response.Result)
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
		if got := repliesTo(t, line, 0, "1", `"aloud-2"`); got != want {
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
		if got := repliesTo(t, line, 2000, "1"); got != want {
			t.Errorf("%.80s\ngives %s\nwant %s", line, got, want)
		}
	}
}
