package badserver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"unicode/utf16"
)

// endings returns the modes whose process exits early, late or never.
func endings() []Mode {
	at := func(method string, s step) map[string]step { return map[string]step{method: s} }
	modes := []Mode{
		{Name: "exits", Does: "exits at once with an error", start: func(p *process) {
			fmt.Fprintln(p.err, "cannot open the \x1b[31mdatabase\x1b[0m")
			p.status = 3
		}},
		{Name: "exits-traceback", Does: "exits at once with a traceback of 200 lines", start: func(p *process) {
			fmt.Fprintln(p.err, "Traceback (most recent call last):")
			for i := range 200 {
				fmt.Fprintf(p.err, "  File \"server.py\", line %d\n", i)
			}
			fmt.Fprintln(p.err, "ModuleNotFoundError: No module named 'mcp'")
			p.status = 1
		}},
		{Name: "exits-hello", Does: "exits at initialize without output", at: at(hello, exits(0, ""))},
		{Name: "exits-initialized", Does: "exits after initialize",
			at: at("notifications/initialized", exits(1, "no workspace\n"))},
		{Name: "exits-list", Does: "exits at tools/list", at: at(listTools, exits(1, "panic: nil map\n"))},
		{Name: "exits-call", Does: "exits in a call", at: at(callTool, exits(4, "out of memory\n"))},
		{Name: "exits-prompt", Does: "exits at prompts/get",
			at: at("prompts/get", exits(4, "out of memory\n")), result: map[string]func(question) string{
				hello: always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},` +
					`"serverInfo":{"name":"bad","version":"1"}}`),
			}},
		{Name: "exits-answered", Does: "exits after each answer to a call", at: at(callTool, answersThen(exits(0, "")))},
		{Name: "killed", Does: "is killed in a call", at: at(callTool, killed)},
		{Name: "usage", Does: "prints its usage to standard output and exits", start: func(p *process) {
			p.print("usage: server [--port N]\n")
			p.status = 2
		}},
		{Name: "hangs-hello", Does: "never answers initialize", Hangs: AtStart, at: at(hello, ignore)},
		{Name: "hangs-list", Does: "never answers tools/list", Hangs: AtStart, at: at(listTools, ignore)},
		{Name: "hangs-call", Does: "never answers a call", Hangs: AtCall, at: at(callTool, ignore)},
		{Name: "deaf", Does: "never reads", Hangs: AtStart, start: func(*process) { forever() }},
		{Name: "deaf-later", Does: "stops reading after tools/list", Hangs: AtCall,
			at: at(listTools, answersThen(hang))},
		{Name: "slow", Does: "starts slowly", start: slowly},
		{Name: "stubborn", Does: "ignores the end of its input and SIGTERM", start: deafToSignals,
			at: at(callTool, answersThen(hang))},
		{Name: "closes-stdout", Does: "closes standard output and keeps running",
			at: at(callTool, func(p *process, _ question) after {
				_ = os.Stdout.Close()
				return hangs
			})},
		{Name: "closes-stdin", Does: "closes standard input and keeps running",
			at: at(listTools, func(p *process, q question) after {
				_ = os.Stdin.Close()
				return answersThen(hang)(p, q)
			})},
		{Name: "leaves-child", Does: "exits in a call and leaves a child that holds its pipes",
			at: at(callTool, func(p *process, _ question) after {
				p.child("deaf", func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr })
				p.status = 5
				return ends
			})},
		{Name: "runaway-child", Does: "has a child in its own session",
			start: func(p *process) { p.child("deaf", leave) }},
		{Name: "zombies", Does: "leaves ten zombie processes", start: func(p *process) {
			for range 10 {
				p.child("exits", func(*exec.Cmd) {})
			}
		}},
		{Name: "wrapper", Does: "is only the parent of the server, like npx", start: func(p *process) {
			p.child("stubborn", func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr })
			forever()
		}},
	}
	for i := range modes {
		modes[i].Over = Stdio
	}
	return modes
}

// wires returns the modes whose process writes invalid lines.
func wires() []Mode {
	each := func(change func(string) string) func(*process, string) {
		return func(p *process, line string) { _, _ = io.WriteString(p.out, change(line)) }
	}
	modes := []Mode{
		{Name: "banner", Does: "prints a banner with colours first",
			start: func(p *process) { p.print("\x1b[2J\x1b[32mWelcome!\x1b[0m\nnull\n[1,2]\n{}\n") }},
		{Name: "prompt", Does: "prints a prompt without a newline before each answer",
			raw: each(func(line string) string { return "ready> " + line + "\n" })},
		{Name: "logs", Does: "prints a line of its log before and after each answer",
			raw: each(func(line string) string { return "INFO asked\n" + line + "\nINFO answered\n" })},
		{Name: "json-logs", Does: "prints its log as JSON",
			raw: each(func(line string) string { return `{"level":"info","id":1,"msg":"asked"}` + "\n" + line + "\n" })},
		{Name: "glued", Does: "writes two responses on one line",
			raw: each(func(line string) string { return line + line + "\n" })},
		{Name: "logs-after", Does: "prints its log on the same line after the response",
			raw: each(func(line string) string { return line + "INFO answered\n" })},
		{Name: "crlf", Does: "ends lines with CRLF", raw: each(func(line string) string { return line + "\r\n" })},
		{Name: "bom", Does: "begins with a byte order mark", raw: func(p *process, line string) {
			if p.said == 1 {
				p.print("\ufeff")
			}
			p.print("%s\n", line)
		}},
		{Name: "utf16", Does: "writes UTF-16, like PowerShell", Hangs: AfterWords, raw: each(func(line string) string {
			var b []byte
			for _, unit := range utf16.Encode([]rune(line + "\r\n")) {
				b = append(b, byte(unit), byte(unit>>8))
			}
			return string(b)
		})},
		{Name: "headers", Does: "writes Content-Length headers, like language servers", Hangs: AfterWords,
			raw: each(func(line string) string {
				return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(line), line)
			})},
		{Name: "pieces", Does: "writes its responses byte by byte", raw: func(p *process, line string) {
			for _, b := range []byte(line + "\n") {
				_, _ = p.out.Write([]byte{b})
			}
		}},
		{Name: "chatters", Does: "prints other lines forever", start: chatters},
		{Name: "elicit-endless", Does: "sends elicitations forever, as fast as it can",
			at: map[string]step{listTools: answersThen(func(p *process, _ question) after {
				go p.ask("elicitation/create", form)
				return silent
			})}},
		{Name: "stderr", Does: "writes 20 MB to standard error before it answers", start: func(p *process) {
			for piece := strings.Repeat("warning: deprecated\n", 50_000); p.said < 20; p.said++ {
				fmt.Fprint(p.err, piece)
			}
		}},
		{Name: "stderr-line", Does: "writes 20 MB to standard error without a newline", start: func(p *process) {
			for piece := strings.Repeat(".", 1<<20); p.said < 20; p.said++ {
				fmt.Fprint(p.err, piece)
			}
		}},
		{Name: "half-line", Does: "exits in the middle of an answer",
			at: map[string]step{callTool: func(p *process, q question) after {
				p.print(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`, q.ID)
				p.status = 6
				return ends
			}}},
		{Name: "result-5mb", Does: "answers calls with 5 MB", at: map[string]step{callTool: big(5)}},
		{Name: "result-50mb", Does: "answers calls with 50 MB", Heavy: true, at: map[string]step{callTool: big(50)}},
		{Name: "result-200mb", Does: "answers calls with 200 MB", Heavy: true, at: map[string]step{callTool: big(200)}},
		{Name: "parts-60mb", Does: "answers calls with 20 million parts without a type", Heavy: true,
			at: map[string]step{callTool: manyParts}},
		{Name: "endless-line", Does: "answers calls with a line that never ends", Heavy: true, Hangs: AtCall,
			at: map[string]step{callTool: endless}},
	}
	for i := range modes {
		modes[i].Over = Stdio
	}
	return modes
}
