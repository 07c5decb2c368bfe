//go:build e2e && unix

package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A cacheRead is a prompt that the server began to read. The counts are tokens.
type cacheRead struct {
	at             time.Time
	prompt, cached int
}

// new returns how many tokens the server really read.
func (r cacheRead) new() int { return r.prompt - r.cached }

// A serverLoad is a model that the server loaded into memory.
type serverLoad struct {
	at      time.Time // when it began
	took    time.Duration
	context int // tokens
}

// Lines of the server's debug log. The first group is the time.
var (
	readingLine = regexp.MustCompile(`time=(\S+) .*msg="loading cache slot".* prompt=(\d+) used=(\d+) `)
	loadingLine = regexp.MustCompile(`time=(\S+) .*msg="starting runner".* --model `)
	contextLine = regexp.MustCompile(`Operation:commit .*KvSize:(\d+) `)
	loadedLine  = regexp.MustCompile(`time=(\S+) .*msg="llama runner started in `)
	requestLine = regexp.MustCompile(`^\[GIN\] .* \| +(\S+) \| .* POST +"/api/generate"`)
)

// cacheReads parses the prompts in a part of the server's log.
func cacheReads(t testing.TB, log string) []cacheRead {
	t.Helper()
	var list []cacheRead
	for _, found := range readingLine.FindAllStringSubmatch(log, -1) {
		list = append(list, cacheRead{logTime(t, found[1]), number(t, found[2]), number(t, found[3])})
	}
	if len(list) == 0 {
		t.Fatalf("the server's log has no prompts:\n%s", log)
	}
	return list
}

// readFor returns the prompt of a chat request. The server reads one at a time.
func readFor(reads []cacheRead, chat *chatRequest) (found cacheRead, ok bool) {
	for _, read := range reads {
		if !read.at.Before(chat.began.Truncate(time.Millisecond)) && read.at.Before(chat.ended) {
			found, ok = read, true
		}
	}
	return found, ok
}

// serverLoads parses the loads in a part of the server's log. A load takes as long as the request that caused it. If
// that is not a request to load the model, it takes as long as the start of the runner.
func serverLoads(t testing.TB, log string) (list []serverLoad) {
	t.Helper()
	requested := true
	for line := range strings.Lines(log) {
		if found := loadingLine.FindStringSubmatch(line); found != nil {
			list = append(list, serverLoad{at: logTime(t, found[1])})
			requested = false
		}
		if len(list) == 0 {
			continue
		}
		last := &list[len(list)-1]
		if found := contextLine.FindStringSubmatch(line); found != nil {
			last.context = number(t, found[1])
		}
		if found := loadedLine.FindStringSubmatch(line); found != nil && last.took == 0 {
			last.took = logTime(t, found[1]).Sub(last.at)
		}
		if found := requestLine.FindStringSubmatch(line); found != nil && !requested {
			took, err := time.ParseDuration(found[1])
			must(t, err)
			last.took = took
		}
		requested = requested || strings.HasPrefix(line, "[GIN]") && strings.Contains(line, "POST")
	}
	return list
}

func logTime(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	must(t, err)
	return at
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}
