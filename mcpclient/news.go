package mcpclient

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// SetNotificationHandler takes the place of the client's handler, which would run on the goroutine that reads the answers.
func (w *wire) SetNotificationHandler(func(mcp.JSONRPCNotification)) {
	w.Interface.SetNotificationHandler(w.notified)
}

func (w *wire) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case "notifications/tools/list_changed":
		select {
		case w.listChanged <- struct{}{}:
		default: // it is known already
		}
	case "notifications/progress":
		w.progressed(n.Params.AdditionalFields)
	}
}

// progressed puts the news into the call's box, in the place of what nobody has looked at yet.
func (w *wire) progressed(fields map[string]any) {
	message, _ := fields["message"].(string)
	w.mu.Lock()
	defer w.mu.Unlock()
	box, ok := w.progress[fmt.Sprint(fields["progressToken"])]
	if !ok {
		return
	}
	select {
	case <-box:
	default:
	}
	box <- Progress{Done: number(fields["progress"]), Total: number(fields["total"]), Message: message}
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
