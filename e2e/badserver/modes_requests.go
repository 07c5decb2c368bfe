package badserver

import (
	"fmt"
	"strings"
)

const form = `{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`

// request returns a request to the client.
func request(id any, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params)
}

// requests returns the modes that send requests and notifications before the response to a call.
func requests() []Mode {
	notify := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	}
	flood := func(n int, message func(question, int) string) func(question, func(string) bool) {
		return func(q question, say func(string) bool) {
			for i := range n {
				if !say(message(q, i)) {
					return
				}
			}
		}
	}
	each := func(messages ...string) func(question, func(string) bool) {
		return func(_ question, say func(string) bool) {
			for _, m := range messages {
				if !say(m) {
					return
				}
			}
		}
	}
	return []Mode{
		{Name: "progress-flood", Does: "sends 20,000 progress notifications in a call",
			before: flood(20_000, func(q question, i int) string {
				return notify("notifications/progress",
					fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":20000}`, token(q), i))
			})},
		{Name: "odd-progress", Does: "sends invalid progress notifications", before: func(q question, say func(string) bool) {
			for _, p := range []string{`-5`, `1e400`, `"many"`, `null`, `[]`, `9007199254740993`} {
				say(notify("notifications/progress",
					fmt.Sprintf(`{"progressToken":%s,"progress":%s,"total":%s,"message":7}`, token(q), p, p)))
			}
			say(notify("notifications/progress", `[1]`))
			say(notify("notifications/progress", `{"progressToken":{"a":1}}`))
		}},
		{Name: "list-flood", Does: "sends 5,000 list_changed notifications in a call",
			before: flood(5_000, func(question, int) string {
				return notify("notifications/tools/list_changed", `{}`)
			})},
		{Name: "log-flood", Does: "sends 5,000 log messages in a call, some with escape sequences",
			before: flood(5_000, func(_ question, i int) string {
				return notify("notifications/message", fmt.Sprintf(`{"level":"error","data":"\u001b[2Jline %d"}`, i))
			})},
		{Name: "odd-notifications", Does: "sends unknown notifications with parameters of every type",
			before: each(
				notify("notifications/unknown", `{}`), notify("notifications/message", `[1,2]`),
				notify("notifications/message", `"x"`), notify("", `{}`),
				notify("notifications/cancelled", `{"requestId":1}`), notify("notifications/cancelled", `{"requestId":"never"}`),
				notify("notifications/resources/updated", `{"uri":7}`), `{"jsonrpc":"2.0","method":7}`, `{"jsonrpc":"2.0"}`, `{}`)},

		{Name: "asks-unknown", Does: "sends unknown requests",
			before: each(request(1, "client/selfDestruct", `{}`), request(`"x"`, "tools/call", `{}`))},
		{Name: "asks-odd-ids", Does: "sends requests with ids of every type",
			before: each(request(`null`, "ping", `{}`), request(`{"a":1}`, "ping", `{}`), request(`[1]`, "ping", `{}`),
				request(`1.5`, "ping", `{}`), request(`-1`, "ping", `{}`), request(`true`, "ping", `{}`),
				request(quoted(strings.Repeat("x", 100_000)), "ping", `{}`),
				request(7, "ping", `{}`), request(7, "ping", `{}`))},
		{Name: "ping-flood", Does: "pings 1,000 times in a call",
			before: flood(1_000, func(_ question, i int) string { return request(i, "ping", `{}`) })},
		{Name: "roots-flood", Does: "sends 1,000 roots/list requests in a call",
			before: flood(1_000, func(_ question, i int) string {
				return request(fmt.Sprintf("%q", fmt.Sprint("r", i)), "roots/list", `{}`)
			})},
		{Name: "elicit-flood", Does: "sends 1,000 elicitations in a call",
			before: flood(1_000, func(_ question, i int) string {
				return request(fmt.Sprintf("%q", fmt.Sprint("e", i)), "elicitation/create", form)
			})},
		{Name: "elicit-odd", Does: "sends elicitations with invalid schemas", before: each(
			request(1, "elicitation/create", `{}`), request(2, "elicitation/create", `{"message":7,"requestedSchema":true}`),
			request(3, "elicitation/create", `[1]`),
			request(4, "elicitation/create",
				`{"message":"\u001b[2J","requestedSchema":{"type":"object","properties":{"a":{"type":"hologram","enum":7}}}}`),
			request(5, "elicitation/create", `{"mode":"url","message":"go","url":"javascript:alert(1)","elicitationId":"1"}`))},
		{Name: "sample-1mb", Does: "sends a sampling request of 1 MB, which aloud does not support",
			before: each(request(1, "sampling/createMessage",
				`{"messages":[{"role":"user","content":{"type":"text","text":"`+strings.Repeat("x",
					1<<20)+`"}}],"maxTokens":1000000000}`))},
		{Name: "asks-and-cancels", Does: "cancels each request it sends", before: func(_ question, say func(string) bool) {
			for i := range 100 {
				say(request(i, "elicitation/create", form))
				say(notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i)))
			}
		}},
	}
}

// token returns the progress token of a call, or null.
func token(q question) string {
	if len(q.Params.Meta.ProgressToken) == 0 {
		return `"none"`
	}
	return string(q.Params.Meta.ProgressToken)
}
