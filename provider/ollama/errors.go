package ollama

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/netaddr"
	"github.com/aloudchat/aloud/provider"
)

const (
	hintHost    = "check the host: Ollama usually answers at http://127.0.0.1:11434"
	hintInstall = "install it from https://ollama.com/download"
	hintRuns    = "see that ollama serve still runs, then try again"
	hintLog     = "try again; the log of ollama serve says more"
)

// unreachable is for a request that got no answer at all.
func unreachable(at string, err error) *provider.Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return &provider.Error{Kind: provider.KindBroken, Err: err, Hint: hintRuns,
			Text: fmt.Sprintf("the Ollama server at %q closed the connection without an answer", at)}
	}
	e := &provider.Error{Kind: provider.KindUnavailable, Err: err, Text: fmt.Sprintf("no Ollama server answers at %q", at)}
	var name *net.DNSError
	var network *net.OpError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &name):
		e.Text += fmt.Sprintf(": the name %q is not known", name.Name)
		e.Hint = "check the host's name"
	case errors.As(err, &plain):
		e.Text += ": it speaks http, not https"
		e.Hint = "write the host with http://"
	case !errors.As(err, &network): // somebody answers, with a certificate or a protocol that does not fit
		e.Text += ": " + provider.ErrorLine(err.Error())
		e.Hint = hintHost
	case local(at):
		e.Hint = "start it with: ollama serve"
		if _, missing := exec.LookPath(program); missing != nil {
			e.Err = errors.Join(err, missing)
			e.Text += ", and Ollama is not installed"
			e.Hint = hintInstall
		}
	default:
		e.Hint = "check the host, or start Ollama there with: OLLAMA_HOST=0.0.0.0 ollama serve"
	}
	return e
}

func local(at string) bool {
	u, err := url.Parse(at)
	return err == nil && netaddr.Loopback(u.Hostname())
}

// refused is for an answer whose status is not a success, and for a web page of any status.
func refused(at string, resp *http.Response, body []byte) *provider.Error {
	cause := api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: errorText(body)}
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return signIn(at, resp, body)
	case webPage(resp.Header) || provider.IsPage(body):
		e := nonsense(at, []byte("<"), cause)
		if resp.StatusCode >= 300 {
			e.Text += " (" + status + ")"
		}
		return e
	case resp.StatusCode < 400:
		return &provider.Error{Err: cause, Hint: "set the host to the address of the Ollama server itself",
			Text: fmt.Sprintf("the server at %q sends requests on to %q", at, provider.ErrorLine(resp.Header.Get("Location")))}
	case cause.ErrorMessage != "":
		return told(at, cause.ErrorMessage, cause)
	case len(bytes.TrimSpace(body)) == 0:
		return &provider.Error{Err: cause, Hint: hintLog, Text: fmt.Sprintf("the Ollama server at %q answered %s and no reason", at, status)}
	}
	return &provider.Error{Err: cause, Hint: hintHost, Text: fmt.Sprintf("the server at %q answered %s: %s", at, status, provider.ErrorLine(string(body)))}
}

func signIn(at string, resp *http.Response, body []byte) *provider.Error {
	cause := api.AuthorizationError{StatusCode: resp.StatusCode, Status: resp.Status}
	_ = json.Unmarshal(body, &cause) // a body without an address is fine
	e := &provider.Error{Err: cause, Text: fmt.Sprintf("the Ollama server at %q wants you to sign in", at), Hint: "sign in with: ollama signin"}
	if cause.SigninURL != "" {
		e.Hint += ", or at " + provider.ErrorLine(cause.SigninURL)
	}
	return e
}

// nonsense is for an answer that is not Ollama's API: a web page, another program's JSON, a broken line.
func nonsense(at string, line []byte, cause error) *provider.Error {
	e := &provider.Error{Err: cause, Hint: hintHost}
	switch {
	case provider.IsPage(line):
		e.Text = fmt.Sprintf("the server at %q answered with a web page, not with Ollama's API", at)
	case len(line) > 0:
		e.Text = fmt.Sprintf("the server at %q answered with something that is not Ollama's API: %s", at, provider.ErrorLine(string(line)))
	default:
		e.Text = fmt.Sprintf("the server at %q answered with something that is not Ollama's API", at)
	}
	return e
}

// broken is for an answer that stopped before its last line. cause is nil when the connection was closed in good order.
func broken(at string, cause error) *provider.Error {
	if cause == nil {
		return &provider.Error{Kind: provider.KindBroken, Text: "the model's answer ended before it was done",
			Hint: "try again; a model that repeats itself is cut off like this"}
	}
	return &provider.Error{Kind: provider.KindBroken, Err: cause, Hint: hintRuns,
		Text: fmt.Sprintf("the connection to the Ollama server at %q broke in the middle of the answer", at)}
}

// refusals are the error texts of Ollama that mean something to aloud. In text, %s is the model's name.
var refusals = []struct {
	match string
	kind  provider.Kind
	text  string // "": the server's own words
	hint  string
}{
	{"does not support tools", provider.KindNoTools, "the model %s cannot use tools", "choose a model that can, for example: ollama pull qwen3"},
	{"does not support thinking", provider.KindNoThinking, "the model %s cannot think before it answers", "leave it the choice with: --think auto"},
	{"think value", provider.KindNoThinking, "the model does not take this think setting", "leave it the choice with: --think auto"},
	{"invalid model name", provider.KindMissing, "the model's name has a form that Ollama does not take", "name it as ollama list does, for example: qwen3:8b"},
	{"input length exceeds", provider.KindTooLong, "the conversation does not fit into the model's context", "ask with less text, begin a new conversation, or set a larger context"},
	{"exceeds maximum context", provider.KindTooLong, "the conversation does not fit into the model's context", "ask with less text, begin a new conversation, or set a larger context"},
	{"exceeds the available context", provider.KindTooLong, "the conversation does not fit into the model's context", "ask with less text, begin a new conversation, or set a larger context"},
	{"pull model manifest: Get", provider.KindFailed, "the Ollama server cannot reach the library of models", "check its network, then pull again"},
	{"file does not exist", provider.KindMissing, "there is no such model to fetch", "look for its name at https://ollama.com/search"},
	{"error loading model", provider.KindFailed, "", "pull the model again, or update Ollama: this one may be too old for it"},
	{"more system memory", provider.KindFailed, "", "choose a smaller model or a smaller context"},
	{"out of memory", provider.KindFailed, "", "choose a smaller model or a smaller context"},
	{"server busy", provider.KindFailed, "the Ollama server has too many requests in line", "try again in a moment"},
	{"cloud is disabled", provider.KindFailed, "", "choose a model of this machine, or start the server without OLLAMA_NO_CLOUD"},
}

var missingModel = regexp.MustCompile(`model ['"]?([^'" ]+)['"]? not found`)

// told is for an error that Ollama itself states, as a status or in the middle of a stream.
func told(at, message string, cause error) *provider.Error {
	if cause == nil {
		cause = api.StatusError{ErrorMessage: message}
	}
	if m := missingModel.FindStringSubmatch(message); m != nil {
		name := provider.ErrorLine(m[1])
		return &provider.Error{Kind: provider.KindMissing, Err: cause, Hint: "pull it with: ollama pull " + name,
			Text: fmt.Sprintf("the Ollama server at %q has no model %q", at, name)}
	}
	if e := malformed(message, cause); e != nil {
		return e
	}
	e := &provider.Error{Err: cause, Hint: hintLog, Text: fmt.Sprintf("the Ollama server at %q says: %s", at, provider.ErrorLine(message))}
	if crashed(message) {
		e.Kind, e.Hint = provider.KindBroken, "try again; if it does not help, choose a smaller model or context; the log of ollama serve says more"
		e.Text = "the process in which Ollama runs the model ended: " + provider.ErrorLine(message)
	}
	for _, r := range refusals {
		if !strings.Contains(message, r.match) {
			continue
		}
		e.Kind, e.Hint = r.kind, r.hint
		if strings.Contains(r.text, "%s") {
			e.Text = fmt.Sprintf(r.text, subject(message, " does not"))
		} else if r.text != "" {
			e.Text = r.text
		}
		break
	}
	return e
}

// subject is the model's name in front of the words, as you would write it.
func subject(message, words string) string {
	name, _, _ := strings.Cut(message, words)
	name = strings.Trim(name[strings.LastIndex(name, " ")+1:], `"'`)
	name = strings.TrimPrefix(name, "registry.ollama.ai/")
	name = strings.TrimPrefix(name, "library/")
	return fmt.Sprintf("%q", provider.ErrorLine(strings.TrimSuffix(name, ":latest")))
}

// errorText is what [provider.ErrorText] finds, or what stands under a key that speaks of an error.
func errorText(body []byte) string {
	if text := provider.ErrorText(body); text != "" {
		return text
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(body, &object)                      // what is no object has no keys
	for _, key := range slices.Sorted(maps.Keys(object)) { // {"error parsing tool call": "…"}, see ollama/ollama#11781
		if text := provider.ErrorReason(object[key]); text != "" && strings.Contains(strings.ToLower(key), "error") {
			return key + ": " + text
		}
	}
	return ""
}
