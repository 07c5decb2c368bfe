//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// slowdown is a proxy between aloud and the model server. It reads each whole reply from the tiny model, and sends it
// at the speed that the picture needs.
type slowdown struct {
	server  string
	holds   holds
	earlier atomic.Bool // the turn before the picture is running
	answers atomic.Int64
}

// holds describes the delays and faults of the proxy.
type holds struct {
	load     bool // the model never finishes loading
	tooLarge bool // the model does not fit into memory
	loads    time.Duration
	reads    time.Duration // before each reply
	answer   map[int]int   // lines to send before a reply stalls, by reply
	summary  bool
	lost     int           // number of replies that break off before the first token
	word     time.Duration // between two lines of a reply
}

// The durations of the turn before the picture, from which aloud estimates.
const (
	earlierLoad = 9 * time.Second
	earlierRead = 6 * time.Second
)

// receiptHolds are the delays of a turn with a detailed receipt.
var receiptHolds = holds{loads: 3 * time.Second, reads: 1200 * time.Millisecond, word: 60 * time.Millisecond}

// ServeHTTP implements http.Handler.
func (s *slowdown) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	pace := s.paceOf(req.URL.Path, body)
	switch {
	case s.holds.tooLarge && (req.URL.Path == "/api/chat" || req.URL.Path == "/api/generate"):
		rw.WriteHeader(http.StatusInternalServerError)
		const text = "model requires more system memory (18.4 GiB) than is available (7.1 GiB)"
		_, _ = io.WriteString(rw, `{"error": "`+text+`"}`) // fails when the client has gone
		return
	case pace.lost:
		panic(http.ErrAbortHandler)
	}
	began := time.Now()
	status, kind, lines, err := exchange(req.Context(), req.Method, s.server+req.URL.Path, body)
	if err != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	rw.Header().Set("Content-Type", kind)
	first := time.Time{}
	for i, line := range lines {
		if !pace.wait(req.Context(), i) {
			return
		}
		if i == 0 {
			first = time.Now()
			rw.WriteHeader(status)
		}
		_, _ = rw.Write(asSeen(line, first.Sub(began), time.Since(first))) // fails when the client has gone
		_ = http.NewResponseController(rw).Flush()
	}
}

// pace is the speed of a reply.
type pace struct {
	first, word time.Duration
	until       int // lines before the reply stalls; -1 means no limit
	lost        bool
}

// wait waits before line i, and reports whether to send it.
func (p pace) wait(ctx context.Context, i int) bool {
	pause := p.word
	if i == 0 {
		pause = p.first
	}
	if i == p.until {
		pause = 24 * time.Hour
	}
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// paceOf returns the speed of the reply to a request.
func (s *slowdown) paceOf(path string, body []byte) pace {
	var chat struct{ Messages []struct{ Content string } }
	last := "" // message, which shows the purpose of the request
	if json.Unmarshal(body, &chat) == nil && len(chat.Messages) > 0 {
		last = chat.Messages[len(chat.Messages)-1].Content
	}
	p, earlier := pace{until: -1}, s.earlier.Load()
	switch {
	case path == "/api/generate" && earlier:
		p.first = earlierLoad
	case path == "/api/generate" && s.holds.load:
		p.until = 0
	case path == "/api/generate":
		p.first = s.holds.loads
	case path != "/api/chat" && path != "/v1/chat/completions", strings.Contains(last, "You are now running the tool"):
	case strings.HasPrefix(last, "Summarise our conversation") && s.holds.summary:
		p.until = 0
	case earlier:
		p.first = earlierRead
	default:
		n := int(s.answers.Add(1)) - 1
		p.first, p.word, p.lost = s.holds.reads, s.holds.word, n < s.holds.lost
		if lines, stalls := s.holds.answer[n]; stalls {
			p.until = lines
		}
	}
	return p
}

// exchange makes a request and returns the lines of the response.
func exchange(ctx context.Context, method, url string, body []byte) (
	status int, kind string, lines [][]byte, err error,
) {
	out, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", nil, err
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), bytes.SplitAfter(answer, []byte("\n")), nil
}

var measured = regexp.MustCompile(`"(prompt_eval_duration|eval_duration)":[0-9]+`)

// asSeen replaces the times in the last line of a reply with those that a client of such a slow server would measure.
func asSeen(line []byte, read, write time.Duration) []byte {
	return measured.ReplaceAllFunc(line, func(m []byte) []byte {
		if bytes.HasPrefix(m, []byte(`"prompt`)) {
			return fmt.Appendf(nil, `"prompt_eval_duration":%d`, read)
		}
		return fmt.Appendf(nil, `"eval_duration":%d`, write)
	})
}

// load loads a model into memory, and unload removes it.
func (s *slowdown) load(ctx context.Context, model string, size int) error {
	return s.tell(ctx, fmt.Sprintf(`{"model": %q, "options": {"num_ctx": %d}}`, model, size))
}

func (s *slowdown) unload(ctx context.Context, model string) error {
	return s.tell(ctx, fmt.Sprintf(`{"model": %q, "keep_alive": 0}`, model))
}

func (s *slowdown) tell(ctx context.Context, body string) error {
	status, _, lines, err := exchange(ctx, http.MethodPost, s.server+"/api/generate", []byte(body))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the model server says %d: %s", status, bytes.Join(lines, nil))
	}
	return err
}
