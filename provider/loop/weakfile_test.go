package loop_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aloudchat/aloud/provider/loop"
)

// weakFile is one recorded behaviour of a weak model: testdata/weak/NAME.txtar. It begins with a description and the
// lines "model:" and "seen:", which names the report. Its parts follow:
//
//	-- setup --                the model, its server, the limits: see weakSettings
//	-- tool NAME HINTS --      a tool: describe, schema, returns, fails. HINTS: read-only, idempotent, untrusted
//	-- history --              earlier messages, one per line: user, assistant or tool
//	-- question --             required
//	-- reply --                required: the reply to a request, see weakReply; the first whose conditions hold is played
//	-- want --                 required: the expectations, see weakFile.want
//
// A line that begins with a space continues the line before. Text in double braces is replaced, see weakView.fill.
type weakFile struct {
	name               string // such as "printed-bare-json"
	about, model, seen string
	setup              map[string]string
	tools              []weakTool
	history            []weakLine
	question           string
	replies            []weakReply
	wants              []weakLine
}

// weakLine is a line of a part: "answer has 17 degrees".
type weakLine struct{ word, rest string }

// weakSettings are the lines of a setup.
var weakSettings = []string{
	"trained",     // context that the model was trained for
	"context",     // configured context
	"drops",       // the server drops text that does not fit instead of refusing the request
	"no-tools",    // the server reports that the model cannot use tools
	"no-thinking", // the server reports that the model cannot think
	"asks",        // calls that are not read-only need approval
	"more-tools",  // more tools, which are never needed
	"iterations",  // the limits
	"thinking-tokens",
	"silence",
}

// has reports whether the setup has a line.
func (f *weakFile) has(setting string) bool { _, ok := f.setup[setting]; return ok }

// number returns the number in a line of the setup, or 0 without the line.
func (f *weakFile) number(setting string) int {
	n, _ := strconv.Atoi(f.setup[setting])
	return n
}

func (f *weakFile) limits() loop.Limits {
	silence, _ := time.ParseDuration(f.setup["silence"])
	return loop.Limits{Iterations: f.number("iterations"), ThinkingTokens: f.number("thinking-tokens"), Silence: silence}
}

// weakReply is a reply that is played if its conditions hold: "if CONDITION", "if not CONDITION", and "times N".
type weakReply struct {
	conditions []weakLine // without "if"
	times      int        // how often it may be played; 0 means always
	steps      []weakLine
}

// weakTool is a tool and its results.
type weakTool struct {
	name, describe, schema string
	hints                  []string
	returns, fails         string
}

var seenAt = regexp.MustCompile(`^[\w.-]+/[\w.-]+#\d+$`)

// weakFiles reads all files of a folder.
func weakFiles(folder string) ([]*weakFile, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil {
		return nil, err
	}
	files := make([]*weakFile, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[i] = &weakFile{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), setup: map[string]string{}}
		if err := files[i].parse(txtar.Parse(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return files, nil
}

func (f *weakFile) parse(archive *txtar.Archive) error {
	if err := f.parseHead(string(archive.Comment)); err != nil {
		return err
	}
	for _, part := range archive.Files {
		lines := linesOf(string(part.Data))
		kind, rest, _ := strings.Cut(part.Name, " ")
		var err error
		switch kind {
		case "setup":
			for _, line := range lines {
				if f.setup[line.word] = line.rest; !slices.Contains(weakSettings, line.word) {
					err = fmt.Errorf("a setup has no line %q", line.word)
				}
			}
		case "tool":
			err = f.parseTool(strings.Fields(rest), lines)
		case "history":
			f.history = lines
		case "question":
			f.question = strings.TrimSpace(string(part.Data))
		case "reply":
			err = f.parseReply(lines)
		case "want":
			f.wants = lines
		default:
			err = fmt.Errorf("a part cannot be called %q", part.Name)
		}
		if err != nil {
			return err
		}
	}
	if f.question == "" || len(f.replies) == 0 || len(f.wants) == 0 {
		return errors.New("it needs a question, a reply and a want")
	}
	return nil
}

func (f *weakFile) parseHead(head string) error {
	var about []string
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		switch key, value, _ := strings.Cut(line, ": "); key {
		case "model":
			f.model = value
		case "seen":
			f.seen = value
		default:
			about = append(about, line)
		}
	}
	f.about = strings.TrimSpace(strings.Join(about, " "))
	switch {
	case f.about == "" || f.model == "":
		return errors.New(`it begins with a sentence on the behaviour and a line "model: …"`)
	case !seenAt.MatchString(f.seen):
		return fmt.Errorf(`a line "seen: owner/repository#number" has to name where it was seen, not %q`, f.seen)
	}
	return nil
}

// linesOf splits a part into its lines. A line that begins with a space continues the line before.
func linesOf(text string) []weakLine {
	var lines []weakLine
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if n := len(lines); n > 0 && strings.HasPrefix(line, " ") {
			lines[n-1].rest += "\n" + strings.TrimPrefix(strings.TrimPrefix(line, " "), " ")
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		lines = append(lines, weakLine{word, rest})
	}
	return lines
}

func (f *weakFile) parseTool(head []string, lines []weakLine) error {
	if len(head) == 0 {
		return errors.New("a tool needs a name")
	}
	tool := weakTool{name: head[0], hints: head[1:], describe: "A tool.", schema: `{"type":"object"}`}
	fields := map[string]*string{
		"describe": &tool.describe, "schema": &tool.schema, "returns": &tool.returns, "fails": &tool.fails,
	}
	for _, line := range lines {
		if fields[line.word] == nil {
			return fmt.Errorf("a tool has no line %q", line.word)
		}
		*fields[line.word] = line.rest
	}
	f.tools = append(f.tools, tool)
	return nil
}

func (f *weakFile) parseReply(lines []weakLine) error {
	var reply weakReply
	for _, line := range lines {
		switch line.word {
		case "if":
			word, rest, _ := strings.Cut(line.rest, " ")
			reply.conditions = append(reply.conditions, weakLine{word, rest})
		case "times":
			n, err := strconv.Atoi(line.rest)
			if err != nil {
				return err
			}
			reply.times = n
		case "text", "thinking", "quoted", "call", "repeat", "wait", "error", "cut", "silence", "length", "wrote":
			reply.steps = append(reply.steps, line)
		default:
			return fmt.Errorf("a reply has no line %q", line.word)
		}
	}
	f.replies = append(f.replies, reply)
	return nil
}

func (t *weakTool) is(hint string) bool { return slices.Contains(t.hints, hint) }
