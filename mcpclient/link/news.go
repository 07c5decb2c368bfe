package link

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	keptLines   = 20   // of what a server wrote for its log
	longestLine = 400  // bytes of one
	mostUpdates = 1000 // resources whose changes wait to be looked at; who changes more is believed about these
)

// News is what a server has told by itself since somebody last heard of it.
type News struct {
	Prompts, Resources bool                 // the lists have changed
	Updated            map[string]time.Time // resources that have changed, by URI
	Told               []string             // the last lines for the log
}

// news is the news that nobody has heard yet. However much a server tells, this stays small, and telling never waits.
type news struct {
	wake     chan struct{} // has one element when there is something to hear, or to ask for
	refilter chan struct{} // has one element when other announcements are wanted of the newest revision

	mu       sync.Mutex
	untold   News
	wanted   []string // resources that we want to hear of from now on
	followed []string // those that the newest revision is asked about, by URI
}

func newNews() *news { return &news{wake: make(chan struct{}, 1), refilter: make(chan struct{}, 1)} }

// note changes the news and says that there are some.
func (n *news) note(change func(*News)) {
	n.mu.Lock()
	change(&n.untold)
	n.mu.Unlock()
	poke(n.wake)
}

// want has somebody ask to hear of a resource.
func (n *news) want(uri string) {
	n.mu.Lock()
	n.wanted = append(n.wanted, uri)
	n.mu.Unlock()
	poke(n.wake)
}

// follow has the newest revision asked about a resource, too.
func (n *news) follow(uri string) {
	n.mu.Lock()
	if !slices.Contains(n.followed, uri) {
		n.followed = append(n.followed, uri)
	}
	n.mu.Unlock()
	poke(n.refilter)
}

// following are the resources that the newest revision is asked about.
func (n *news) following() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.followed)
}

// take returns the news, and the resources that we want to hear of, and forgets them.
func (n *news) take() (untold News, wanted []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	untold, wanted = n.untold, n.wanted
	n.untold, n.wanted = News{}, nil
	return untold, wanted
}

// poke says that there is something to look at, unless that is known already.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// SetNotificationHandler takes the place of the client's handler, which would run on the goroutine that reads the answers.
func (w *wire) SetNotificationHandler(func(mcp.JSONRPCNotification)) {
	w.Interface.SetNotificationHandler(w.notified)
}

func (w *wire) notified(n mcp.JSONRPCNotification) {
	if w.log != nil {
		w.log.Value(wirelog.Received, n)
	}
	fields := n.Params.AdditionalFields
	switch n.Method {
	case "notifications/tools/list_changed":
		w.toolsChanged()
	case "notifications/prompts/list_changed":
		w.news.note(func(n *News) { n.Prompts = true })
	case "notifications/resources/list_changed":
		w.news.note(func(n *News) { n.Resources = true })
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		w.acknowledged()
	case "notifications/resources/updated":
		if uri, ok := fields["uri"].(string); ok && len(uri) <= offer.LongestURI {
			w.news.note(func(n *News) { n.update(uri, time.Now()) })
		}
	case "notifications/message":
		w.logged(fields)
	case "notifications/progress":
		w.progressed(fields)
	case "notifications/cancelled":
		w.asked.TakenBack(fields["requestId"])
	case "notifications/elicitation/complete":
		w.asked.PageComplete(fields["elicitationId"])
	}
}

func (w *wire) toolsChanged() { poke(w.listChanged) }

func (n *News) update(uri string, at time.Time) {
	if n.Updated == nil {
		n.Updated = map[string]time.Time{}
	}
	if _, known := n.Updated[uri]; known || len(n.Updated) < mostUpdates {
		n.Updated[uri] = at
	}
}

// lastLines keeps the newest lines, without growing for ever behind them.
func lastLines(lines []string) []string {
	if extra := len(lines) - keptLines; extra > 0 {
		return slices.Clone(lines[extra:])
	}
	return lines
}

// logLevel is from which level on messages are asked for and kept.
const logLevel = mcp.LoggingLevelWarning

// logged hands a message for the log on to who listens, and keeps those from logLevel on: servers send the others all the same, or before they
// know better.
func (w *wire) logged(fields map[string]any) {
	listener, kept := w.asked.Listener(), isKept(fields)
	if listener == nil && !kept {
		return
	}
	line, ok := logLine(fields, w.asked.Secrets)
	if !ok {
		return
	}
	if listener != nil {
		listener.Logged(w.asked.Server, line)
	}
	if kept {
		w.news.note(func(n *News) { n.Told = lastLines(append(n.Told, line)) })
	}
}

// isKept tells of a message whether it is from logLevel on; one of a level that nobody knows is.
func isKept(fields map[string]any) bool {
	level, _ := fields["level"].(string)
	switch mcp.LoggingLevel(level) {
	case mcp.LoggingLevelDebug, mcp.LoggingLevelInfo, mcp.LoggingLevelNotice:
		return false
	}
	return true
}

// logLine is a message for the log as people read it, without the secrets: "warning db: the disk is nearly full".
func logLine(fields map[string]any, secrets secret.Hider) (line string, ok bool) {
	clip := func(text string, most int) string {
		return sanitize.Line(sanitize.Clip(secrets.Beginning(text, most), most))
	}
	level, _ := fields["level"].(string)
	head := clip(level, 20)
	if logger, _ := fields["logger"].(string); logger != "" {
		head = strings.TrimSpace(head + " " + clip(logger, 60))
	}
	said, isText := fields["data"].(string)
	if !isText {
		raw, err := json.Marshal(fields["data"])
		if err != nil {
			return "", false
		}
		said = string(raw)
	}
	return strings.TrimPrefix(head+": "+clip(said, longestLine), ": "), true
}

// progressed puts the news into the call's box, in the place of what nobody has looked at yet.
func (w *wire) progressed(fields map[string]any) {
	message, _ := fields["message"].(string)
	w.tell(fmt.Sprint(fields["progressToken"]), Progress{Done: number(fields["progress"]), Total: number(fields["total"]), Message: message})
}

// tell puts news into the box of the call that carries the token, if there is one.
func (w *wire) tell(token string, p Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	box, ok := w.progress[token]
	if !ok {
		return
	}
	select {
	case <-box:
	default:
	}
	box <- p
}

// number reads a number however it was decoded; built-in servers hand over Go's own. What is none is 0.
func number(v any) float64 {
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// follow opens a box for the progress of the call that carries the token; forget takes it away again.
func (w *wire) follow() (token string, box <-chan Progress, forget func()) {
	c := make(chan Progress, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.followed++
	token = fmt.Sprintf("call-%d", w.followed)
	w.progress[token] = c
	return token, c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.progress, token)
	}
}
