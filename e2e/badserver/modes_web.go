package badserver

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// webs returns the modes that are specific to HTTP.
func webs() []Mode {
	type serves = map[string]func(visit) bool
	// status answers with a status and a body of a content type.
	status := func(code int, kind, body string) func(visit) bool {
		return func(v visit) bool {
			v.Header().Set("Content-Type", kind)
			v.WriteHeader(code)
			_, _ = io.WriteString(v, body)
			return true
		}
	}
	header := func(code int, name, value string) func(visit) bool {
		return func(v visit) bool {
			v.Header().Set(name, value)
			v.WriteHeader(code)
			return true
		}
	}
	// begins sends the beginning of a response and then calls a function.
	begins := func(kind, body string, then func(visit)) func(visit) bool {
		return func(v visit) bool {
			v.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(v, strings.ReplaceAll(body, "ID", string(v.q.ID)))
			v.send()
			then(v)
			return true
		}
	}
	drop := func(visit) { panic(http.ErrAbortHandler) }
	over := func(visit) {}
	const json, events = "application/json", "text/event-stream"
	page := "<!doctype html><html><title>502 Bad Gateway</title>" + strings.Repeat("<p>nginx</p>", 1_000)

	modes := []Mode{
		{Name: "error-400", Does: "answers 400 with a message",
			serve: serves{"": status(400, json,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"tenant missing"}}`)}},
		{Name: "error-401", Does: "answers 401", serve: serves{"": status(401, "text/plain", "")}},
		{Name: "error-403", Does: "answers 403 with a reason",
			serve: serves{"": status(403, json, `{"error":{"message":"no tenant"}}`)}},
		{Name: "error-404", Does: "answers 404 with a page", serve: serves{"": status(404, "text/html", page)}},
		{Name: "error-405", Does: "rejects POST", serve: serves{"": status(405, "text/plain", "Method Not Allowed")}},
		{Name: "error-429", Does: "answers 429, and when to try again",
			serve: serves{"": header(429, "Retry-After", "3600")}},
		{Name: "error-500", Does: "answers 500 with a reason that contains escape sequences",
			serve: serves{"": status(500, "text/plain", "database down\x1b[2J")}},
		{Name: "error-502", Does: "answers 502 with a long page", serve: serves{"": status(502, "text/html", page)}},
		{Name: "error-599", Does: "answers an unknown status with 10 MB",
			serve: serves{"": status(599, "text/plain", strings.Repeat("x", 10<<20))}},
		{Name: "call-401", Does: "answers calls with 401",
			serve: serves{callTool: status(401, "text/plain", "token expired")}},
		{Name: "call-403", Does: "answers calls with 403", serve: serves{callTool: status(403, "text/plain", "not for you")}},
		{Name: "call-404", Does: "answers calls with 404", serve: serves{callTool: status(404, "text/plain", "not found")}},
		{Name: "call-429", Does: "answers calls with 429", serve: serves{callTool: header(429, "Retry-After", "60")}},
		{Name: "call-500", Does: "answers calls with 500 and a page",
			serve: serves{callTool: status(500, "text/html", page)}},
		{Name: "call-503", Does: "answers calls with 503 and a reason",
			serve: serves{callTool: status(503, "text/plain", "overloaded")}},
		{Name: "redirects", Does: "redirects to another host",
			serve: serves{"": header(307, "Location", "http://elsewhere.example/mcp")}},
		{Name: "redirects-round", Does: "redirects to itself forever",
			serve: serves{"": header(307, "Location", "/again")}},
		{Name: "redirects-301", Does: "has moved to another path",
			serve: serves{"": header(301, "Location", "/v2/mcp?key=1")}},
		{Name: "redirects-odd", Does: "redirects to an invalid address",
			serve: serves{"": header(307, "Location", "http://[::1")}},
		{Name: "redirects-get", Does: "redirects to GET",
			serve: serves{hello: header(302, "Location", "/login"), "server/discover": header(302, "Location", "/login"),
				"GET": status(200, "text/html", "<h1>Log in</h1>")}},
		{Name: "web-page", Does: "answers with a web page", serve: serves{"": status(200, "text/html", page)}},
		{Name: "no-type", Does: "sends no content type", serve: serves{"": func(v visit) bool {
			v.Header()["Content-Type"] = nil
			if !v.q.isRequest() {
				return false
			}
			_, _ = io.WriteString(v, usual(v.q))
			return true
		}}},
		{Name: "binary-type", Does: "sends the content type of an image", serve: serves{"": func(v visit) bool {
			if !v.q.isRequest() {
				return false
			}
			return status(200, "image/png", usual(v.q))(v)
		}}},
		{Name: "empty", Does: "answers with nothing", serve: serves{"": status(200, json, "")}},
		{Name: "empty-204", Does: "answers 204", serve: serves{"": header(204, "X-Nothing", "here")}},
		{Name: "call-empty", Does: "answers calls with nothing", serve: serves{callTool: status(200, json, "")}},
		{Name: "call-202", Does: "accepts calls and never answers",
			serve: serves{callTool: header(202, "X-Nothing", "here")}},
		{Name: "call-junk", Does: "answers calls with invalid JSON", serve: serves{callTool: status(200, json, "{{{")}},
		{Name: "call-cut", Does: "closes the connection in the middle of a response",
			serve: serves{callTool: begins(json, `{"jsonrpc":"2.0","id":ID,"resu`, drop)}},
		{Name: "call-drops", Does: "closes the connection when a tool is called",
			serve: serves{callTool: func(v visit) bool { drop(v); return true }}},
		{Name: "drops", Does: "closes every connection", serve: serves{"": func(v visit) bool { drop(v); return true }}},
		{Name: "half-closed", Does: "accepts the call and closes only its side of the connection",
			serve: serves{callTool: halfClosed}},
		{Name: "no-http", Does: "does not use HTTP", serve: serves{"": hijacked("SSH-2.0-OpenSSH_9.6\r\n")}},
		{Name: "two-answers", Does: "writes two responses",
			serve: serves{callTool: hijacked("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" +
				"HTTP/1.1 200 OK\r\n\r\n")}},
		{Name: "headers-2mb", Does: "answers with headers of 2 MB", serve: serves{callTool: func(v visit) bool {
			for i := range 2_000 {
				v.Header().Set(fmt.Sprint("X-Fill-", i), strings.Repeat("x", 1_000))
			}
			return false
		}}},
		{Name: "stalls", Does: "accepts initialize and sends nothing", Hangs: AtStart,
			serve: serves{"": func(v visit) bool { v.wait(); return true }}},
		{Name: "stalls-list", Does: "sends nothing at tools/list", Hangs: AtStart,
			serve: serves{listTools: func(v visit) bool { v.wait(); return true }}},
		{Name: "stalls-call", Does: "sends nothing for calls", Hangs: AtCall,
			serve: serves{callTool: func(v visit) bool { v.wait(); return true }}},
		{Name: "stalls-body", Does: "starts a response to calls and stops", Hangs: AtCall,
			serve: serves{callTool: begins(json, `{"jsonrpc":`, visit.wait)}},
		{Name: "stalls-stream", Does: "answers calls with a stream without events", Hangs: AtCall,
			serve: serves{callTool: begins(events, ": hello\n\n", visit.wait)}},
		{Name: "stalls-bye", Does: "never answers DELETE",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				"DELETE": func(v visit) bool { v.wait(); return true }}},
		{Name: "drips", Does: "answers calls with single bytes forever", Hangs: AtCall,
			serve: serves{callTool: begins(events, "data: ", func(v visit) {
				for pause := time.NewTicker(5 * time.Millisecond); ; {
					select {
					case <-pause.C:
						_, _ = io.WriteString(v, "x")
						v.send()
					case <-v.r.Context().Done():
						pause.Stop()
						return
					}
				}
			})}},
		{Name: "stream-ends", Does: "ends the stream before the response",
			serve: serves{callTool: begins(events, "event: message\ndata: {\"jsonrpc\":\n", over)}},
		{Name: "stream-junk", Does: "sends other events before the response",
			serve: serves{callTool: begins(events,
				"event: message\ndata: hello\n\ndata: []\n\ndata: null\n\nid: 7\nretry: x\n\nevent: weather\ndata: rain\n\n"+
					"data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":"+
					"{\"content\":[{\"type\":\"text\",\"text\":\"fine\"}]}}\n\n", over)}},
		{Name: "stream-other", Does: "sends the response to another call",
			serve: serves{callTool: begins(events, `data: {"jsonrpc":"2.0","id":99999,"result":{"content":[]}}`+"\n\n", over)}},
		{Name: "session-lost", Does: "loses every session at once",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				callTool: status(404, json, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)}},
		{Name: "session-400", Does: "loses every session at once, with status 400 like TypeScript servers",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				callTool: status(400, json,
					`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)}},
		{Name: "session-410", Does: "loses every session at once, with status 410 and a text",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				callTool: status(410, "text/plain", "Session expired")}},
		{Name: "session-503", Does: "loses every session at once, with status 503 and JSON",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				callTool: status(503, json, `{"detail":"Session not found"}`)}},
		{Name: "session-200", Does: "loses every session at once, with status 200 and an error",
			serve: serves{hello: func(v visit) bool { v.Header().Set("Mcp-Session-Id", "s"); return false },
				callTool: func(v visit) bool {
					return status(200, json, fmt.Sprintf(
						`{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"Session not found"}}`, v.q.ID))(v)
				}}},
		{Name: "session-odd", Does: "its session id is invalid",
			serve: serves{hello: func(v visit) bool {
				v.Header().Set("Mcp-Session-Id",
					strings.Repeat("é ", 3_000))
				return false
			}}},
		{Name: "listen-ends", Does: "ends the notification stream at once, again and again",
			serve: serves{"GET": status(200, events, "")}},
		{Name: "listen-junk", Does: "sends junk on the notification stream",
			serve: serves{"GET": begins(events, "data: {{{\n\ndata: 7\n\n", visit.wait)}},
		{Name: "bomb", Does: "answers calls with 200 MB of compressed zeros", Heavy: true,
			serve: serves{callTool: func(v visit) bool {
				v.Header().Set("Content-Type", json)
				v.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(v)
				writeBig(z, v.q, 200)
				_ = z.Close()
				return true
			}}},
		{Name: "web-50mb", Does: "answers calls with 50 MB", Heavy: true, serve: serves{callTool: func(v visit) bool {
			v.Header().Set("Content-Type", json)
			writeBig(v, v.q, 50)
			return true
		}}},
	}
	for i := range modes {
		modes[i].Over = HTTP
	}
	return modes
}

// hijacked writes bytes to the connection and closes it.
func hijacked(bytes string) func(visit) bool {
	return func(v visit) bool {
		conn, _, err := http.NewResponseController(v.ResponseWriter).Hijack()
		if err != nil {
			return false
		}
		_, _ = io.WriteString(conn, bytes)
		_ = conn.Close()
		return true
	}
}

// halfClosed closes only its side of the connection.
func halfClosed(v visit) bool {
	conn, in, err := http.NewResponseController(v.ResponseWriter).Hijack()
	if err != nil {
		return false
	}
	defer conn.Close()
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, in) // until the client closes its side
	return true
}
