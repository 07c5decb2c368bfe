package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/ui"
	"github.com/aloudchat/aloud/ui/dialog"
)

// TestPlaceAtTypedAddress checks that an address needs neither http:// nor /v1.
func TestPlaceAtTypedAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/v1/models" {
			http.NotFound(rw, req)
			return
		}
		_, _ = io.WriteString(rw, `{"data": [{"id": "small"}]}`)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, typed := range []string{server.URL, server.URL + "/v1", server.URL + "/v1/", host, " " + host + " "} {
		p, err := placeAt(t.Context(), typed)
		if err != nil || p.Provider != config.TypeOpenAI || len(p.Models) != 1 || p.Models[0] != "small" {
			t.Errorf("at %q is %+v, %v", typed, p, err)
		}
	}
	server.Close()
	for typed, want := range map[string]string{
		"two words":  `What you typed is not an address. Use one like "http://127.0.0.1:8000"`,
		server.URL:   "Check the address, and",
		"ftp://host": "What you typed is not an address",
	} {
		_, err := placeAt(t.Context(), typed)
		if err == nil {
			t.Errorf("at %q is a server", typed)
		} else if text := dialog.Sentence(err); !strings.Contains(text, want) || strings.Contains(text, "base_url") {
			t.Errorf("at %q: got the error %q, want %q and no setting", typed, text, want)
		}
	}
}

func TestMovedChatContinuesConversation(t *testing.T) {
	for provider, want := range map[string]string{config.TypeOllama: "fine-1", config.TypeDemo: ""} {
		to := &ui.Moved{Place: dialog.Place{Provider: provider}, Session: "fine-1"}
		if f := (flags{cont: true}).movedTo(to); f.cont || f.resume != want {
			t.Errorf("at %s: --continue is %v and --resume is %q, want %q", provider, f.cont, f.resume, want)
		}
	}
}
