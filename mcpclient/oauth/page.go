package oauth

import (
	"fmt"
	"html"
	"net/http"
)

// pages shows the person's browser how the login went.
func pages(name string, c *callback) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, func(w http.ResponseWriter, r *http.Request) {
		if !c.take(r.URL.Query()) {
			show(w, http.StatusBadRequest, verdict{Title: "Not this login", Text: "This address belongs to another login than the one that aloud waits for.",
				Next: "Open the address that aloud shows in the terminal once more."})
			return
		}
		select {
		case <-c.decided:
		case <-r.Context().Done():
			return
		}
		if c.err != nil {
			show(w, http.StatusOK, verdict{Title: "Not logged in", Text: "The login to " + name + " did not work: " + c.err.Error() + ".", Next: "The terminal says more."})
			return
		}
		show(w, http.StatusOK, verdict{Good: true, Title: "Logged in", Text: "aloud may use " + name + " for you now.", Next: "You can close this page and go back to the terminal."})
	})
	return mux
}

type verdict struct {
	Good              bool
	Title, Text, Next string
}

func show(w http.ResponseWriter, status int, v verdict) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address has the code in it
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	mark, colour := "✗", "#c8553d"
	if v.Good {
		mark, colour = "✓", "#2a9d62"
	}
	_, _ = fmt.Fprintf(w, page, html.EscapeString(v.Title), mark, colour, html.EscapeString(v.Text), html.EscapeString(v.Next))
}

// page has places for the title, the mark and its colour, the text and what to do next. With html/template the linker would keep every method
// of every type, which is 4 MB.
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%[1]s · aloud</title>
<style>
body { font: 1.1rem/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 100vh; margin: 0; }
main { max-width: 30rem; padding: 2rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h1::before { content: "%[2]s "; color: %[3]s; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.next { opacity: .7; }
</style>
<main>
<h1>%[1]s</h1>
<p>%[4]s</p>
<p class="next">%[5]s</p>
</main>
`
