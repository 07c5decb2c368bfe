package elicit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

const nameForm = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`

// ask sends an elicitation, and returns a channel with the response.
func ask(ctx context.Context, d *elicit.Inbox, e elicit.Elicitation) <-chan string {
	responses := make(chan string, 1)
	go func() {
		r, err := d.Elicit(ctx, e)
		responses <- fmt.Sprint(r.Action, r.Content, err)
	}()
	return responses
}

func next(t *testing.T, d *elicit.Inbox) *elicit.Question {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q, err := d.Next(ctx)
	if err != nil {
		t.Fatalf("no elicitation: %v", err)
	}
	return q
}

func wantResponse(t *testing.T, responses <-chan string, want string) {
	t.Helper()
	if got := <-responses; !strings.Contains(got, want) {
		t.Errorf("the response is %q, want %q", got, want)
	}
}

func TestInboxQueuesElicitations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		first := ask(t.Context(), d, elicit.Elicitation{Server: "a", Message: "Who?", Schema: json.RawMessage(nameForm)})
		synctest.Wait()
		second := ask(t.Context(), d, elicit.Elicitation{Server: "b", URL: "https://example.org/x"})
		q := next(t, d)
		if q.URL != "" || q.Server != "a" || len(q.Form.Fields) != 1 {
			t.Errorf("the first elicitation is %+v", q)
		}
		if server, _ := d.Asking(); server != "a" {
			t.Errorf("%q asks", server)
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := d.Next(hasty); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next returned %v while an elicitation was open", err)
		}
		q.Answer(elicit.Response{Action: elicit.Accept, Content: map[string]any{"name": "Ann"}})
		q.Answer(elicit.Response{Action: elicit.Decline}) // too late
		wantResponse(t, first, "acceptmap[name:Ann] <nil>")
		q = next(t, d)
		if q.URL == "" || q.Visit.Host != "example.org" {
			t.Errorf("the second elicitation is %+v", q)
		}
		q.Answer(elicit.Response{Action: elicit.Decline})
		wantResponse(t, second, "decline")
		if server, _ := d.Asking(); server != "" {
			t.Errorf("%q still asks", server)
		}
	})
}

func TestServerCancelsElicitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		ctx, cancel := context.WithCancel(t.Context())
		first := ask(ctx, d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		waiting := ask(ctx, d, elicit.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		q := next(t, d)
		taken := q.Server
		cancel()
		<-q.Over()
		wantResponse(t, first, "cancel")
		wantResponse(t, waiting, "cancel")
		later := ask(t.Context(), d, elicit.Elicitation{Server: "c", Schema: json.RawMessage(nameForm)})
		if q = next(t, d); q.Server != "c" {
			t.Errorf("Next returned a cancelled elicitation: %+v", q)
		}
		q.Answer(elicit.Response{Action: elicit.Cancel})
		wantResponse(t, later, "cancel")
		if got, want := fmt.Sprint(d.Notices()), fmt.Sprintf("[Server %q no longer needs your answer]", taken); got != want {
			t.Errorf("the notices are %s, want %s", got, want)
		}
	})
}

func TestInboxRefusesElicitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		invalid := ask(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)})
		wantResponse(t, invalid, "not a JSON schema of an object")
		page := ask(t.Context(), d, elicit.Elicitation{Server: "a", URL: "file:///etc/passwd"})
		wantResponse(t, page, "not the address of a page")
		if notices := strings.Join(d.Notices(), "\n"); !strings.Contains(notices, "input that aloud cannot show") {
			t.Errorf("the notices are %q", notices)
		}
	})
}

func TestDeclineAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		first := ask(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		second := ask(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		synctest.Wait()
		next(t, d).DeclineAll()
		wantResponse(t, first, "decline")
		wantResponse(t, second, "decline")
		want := "All input requests of a are declined until you restart aloud"
		if notices := strings.Join(d.Notices(), "\n"); notices != want {
			t.Errorf("the notices are %q", notices)
		}
		wantResponse(t, ask(t.Context(), d, elicit.Elicitation{Server: "a", URL: "https://example.org/x"}), "decline")
		if server, _ := d.Asking(); server != "" || len(d.Notices()) > 0 {
			t.Errorf("%q asks after all its elicitations were declined", server)
		}
		other := ask(t.Context(), d, elicit.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		next(t, d).Answer(elicit.Response{Action: elicit.Cancel})
		wantResponse(t, other, "cancel")
	})
}

func TestWithdrawnFormsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		go func() { // the screen
			for {
				q, err := d.Next(t.Context())
				if err != nil {
					return
				}
				<-q.Over()
			}
		}()
		began, shown := time.Now(), 0
		for time.Since(began) < time.Minute {
			ctx, cancel := context.WithCancel(t.Context())
			response := ask(ctx, d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
			synctest.Wait()
			if server, _ := d.Asking(); server != "" {
				shown++
			}
			cancel()
			wantResponse(t, response, "context canceled")
			time.Sleep(10 * time.Millisecond) // of fake time
		}
		if shown < 50 || shown > 60 {
			t.Errorf("%d forms were shown in a minute", shown)
		}
		if notices := d.Notices(); len(notices) != 10 {
			t.Errorf("there are %d notices, the last %q", len(notices), notices[len(notices)-1])
		}
	})
}

func TestInboxLimitsNotices(t *testing.T) {
	for _, screen := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d := elicit.NewInbox(screen)
			for range 50 {
				invalid := ask(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)})
				wantResponse(t, invalid, "not a JSON schema of an object")
				if !screen {
					valid := ask(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
					wantResponse(t, valid, "decline")
				}
			}
			notices := d.Notices()
			if last := notices[len(notices)-1]; len(notices) > 20 || !strings.HasSuffix(last, "like this are hidden)") {
				t.Errorf("the notices are %q", notices)
			}
		})
	}
}

func TestInboxWithoutScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(false)
		e := elicit.Elicitation{Server: "a", Message: "Who \x1b[1mare you?", Schema: json.RawMessage(nameForm)}
		wantResponse(t, ask(t.Context(), d, e), "decline")
		notices, err := d.Told(t.Context())
		if err != nil || len(notices) != 1 || !strings.HasSuffix(notices[0], "Declined: Who [1mare you?") {
			t.Fatalf("the notices are %q, %v", notices, err)
		}
	})
}

func TestReadVisit(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.org/a?b=c#d":            "https://|example.org|/a?b=c#d|",
		"https://EXAMPLE.org:8443/":              "https://|example.org|:8443/|",
		"http://localhost:3000/x":                "http://|localhost|:3000/x|",
		"http://127.0.0.1/":                      "http://|127.0.0.1|/|",
		"http://[::1]:80/":                       "http://|[::1]|:80/|",
		"https://аpple.com/login":                "https://|xn--pple-43d.com|/login|аpple.com",
		"https://example.org/a\u202eb?c=ü":       "https://|example.org|/a%E2%80%AEb?c=%C3%BC|",
		"http://example.org/":                    "!must begin with https",
		"http://127.0.0.1.example.org/":          "!must begin with https",
		"javascript:alert(1)":                    "!is not the address of a page",
		"https:///x":                             "!is not the address of a page",
		"https:/example.org/":                    "!is not the address of a page",
		"https://2130706433/":                    "!is not the address of a page",
		"https://example.org@evil.org/":          "!has a user name",
		"https://exa mple.org/":                  "!is not the address of a page",
		"https://example.org/\x1b[2J":            "!is not the address of a page",
		"https://a/" + strings.Repeat("x", 5000): "!longer than 4096",
	} {
		v, err := elicit.ReadVisit(address)
		if why, refused := strings.CutPrefix(want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q gives %+v, %v, want %q", address, v, err, why)
			}
			continue
		}
		if got := v.Before + "|" + v.Host + "|" + v.After + "|" + v.Looks; err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %q", address, got, err, want)
		}
	}
}

func FuzzVisit(f *testing.F) {
	f.Add("https://example.org/a?b=c#d")
	f.Add("http://[::1%25en0]:80/")
	f.Add("https://аpple.com")
	f.Fuzz(func(t *testing.T, address string) {
		v, err := elicit.ReadVisit(address)
		if err != nil {
			return
		}
		for _, c := range v.Address {
			if c <= ' ' || c >= 0x7f {
				t.Errorf("%q is shown as %q", address, v.Address)
			}
		}
		if again, err := elicit.ReadVisit(v.Address); err != nil || again.Host != v.Host {
			t.Errorf("%q parsed again gives %+v, %v", v.Address, again, err)
		}
	})
}
