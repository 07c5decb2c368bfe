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

// asks has a server ask, and tells what it hears.
func asks(ctx context.Context, d *elicit.Inbox, e elicit.Elicitation) <-chan string {
	heard := make(chan string, 1)
	go func() {
		a, err := d.Elicit(ctx, e)
		heard <- fmt.Sprint(a.Action, a.Content, err)
	}()
	return heard
}

func next(t *testing.T, d *elicit.Inbox) *elicit.Question {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q, err := d.Next(ctx)
	if err != nil {
		t.Fatalf("there is no question: %v", err)
	}
	return q
}

// now returns the next question without waiting, or nil.
func now(d *elicit.Inbox) *elicit.Question {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	q, _ := d.Next(over)
	return q
}

func hears(t *testing.T, heard <-chan string, want string) {
	t.Helper()
	if got := <-heard; !strings.Contains(got, want) {
		t.Errorf("the server hears %q, want %q", got, want)
	}
}

func TestQuestionsComeOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		first := asks(t.Context(), d, elicit.Elicitation{Server: "a", Message: "Who?", Schema: json.RawMessage(nameForm)})
		synctest.Wait()
		second := asks(t.Context(), d, elicit.Elicitation{Server: "b", URL: "https://example.org/x"})
		q := next(t, d)
		if q.URL != "" || q.Server != "a" || len(q.Form.Fields) != 1 {
			t.Errorf("the first question is %+v", q)
		}
		if ask, _ := d.Asking(); ask != "a" {
			t.Errorf("%+v asks", ask)
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := d.Next(hasty); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the first question is open: %v", err)
		}
		q.Answer(elicit.Elicited{Action: elicit.Accept, Content: map[string]any{"name": "Ann"}})
		q.Answer(elicit.Elicited{Action: elicit.Decline}) // too late
		hears(t, first, "acceptmap[name:Ann] <nil>")
		q = next(t, d)
		if q.URL == "" || q.Visit.Host != "example.org" {
			t.Errorf("the second question is %+v", q)
		}
		q.Answer(elicit.Elicited{Action: elicit.Decline})
		hears(t, second, "decline")
		if ask, _ := d.Asking(); ask != "" {
			t.Errorf("%+v still asks", ask)
		}
	})
}

func TestAServerTakesItsQuestionBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		ctx, takeBack := context.WithCancel(t.Context())
		heard := asks(ctx, d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		waiting := asks(ctx, d, elicit.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		q := next(t, d)
		takeBack()
		<-q.Over()
		if !q.TakenBack() {
			t.Error("the question is over, but not taken back")
		}
		hears(t, heard, "cancel")
		hears(t, waiting, "cancel")
		later := asks(t.Context(), d, elicit.Elicitation{Server: "c", Schema: json.RawMessage(nameForm)})
		if q = next(t, d); q.Server != "c" {
			t.Errorf("a question that was taken back is asked: %+v", q)
		}
		q.Answer(elicit.Elicited{Action: elicit.Cancel})
		if hears(t, later, "cancel"); q.TakenBack() {
			t.Error("the person answered, and the question is taken back")
		}
	})
}

func TestWhatIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)}), "not described by a JSON schema")
		hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", URL: "file:///etc/passwd"}), "no address of a page")
		for range 3 {
			asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		}
		synctest.Wait()
		hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)}), "too many questions")
		for range 3 {
			next(t, d).Answer(elicit.Elicited{Action: elicit.Accept, Content: map[string]any{"name": 3}})
			synctest.Wait()
		}
		if told := strings.Join(d.Notices(), "\n"); !strings.Contains(told, `"a" asked something that cannot be shown`) {
			t.Errorf("the person is told %q", told)
		}
	})
}

func TestNoForTheWholeSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(true)
		heard := asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		waiting := asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		synctest.Wait()
		next(t, d).DeclineAll()
		hears(t, heard, "decline")
		hears(t, waiting, "decline")
		if told := strings.Join(d.Notices(), "\n"); told != "Whatever a asks is declined from now on, until aloud is started again." {
			t.Errorf("the person is told %q", told)
		}
		time.Sleep(time.Hour)
		hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", URL: "https://example.org/x"}), "decline")
		if q := now(d); q != nil || len(d.Notices()) > 0 {
			t.Errorf("the person is asked %+v", q)
		}
		heard = asks(t.Context(), d, elicit.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		next(t, d).Answer(elicit.Elicited{Action: elicit.Cancel})
		hears(t, heard, "cancel")
	})
}

func TestAServerThatAsksWhatCannotBeShownIsNotToldAgainAndAgain(t *testing.T) {
	for _, person := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d := elicit.NewInbox(person)
			for range 50 {
				hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)}), "not described")
				if !person {
					hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)}), "decline")
				}
			}
			told := d.Notices()
			if last := told[len(told)-1]; len(told) > 20 || !strings.HasSuffix(last, "(more of this is not told)") {
				t.Errorf("the person is told %q", told)
			}
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := elicit.NewInbox(false)
		hears(t, asks(t.Context(), d, elicit.Elicitation{Server: "a", Message: "Who \x1b[1mare you?", Schema: json.RawMessage(nameForm)}), "decline")
		told, err := d.Told(t.Context())
		want := []string{"so it was declined: Who [1mare you?"}
		if err != nil || len(told) != len(want) {
			t.Fatalf("the person is told %q, %v", told, err)
		}
		for i := range want {
			if !strings.Contains(told[i], want[i]) {
				t.Errorf("the person is told %q, want %q", told[i], want[i])
			}
		}
	})
}

func TestVisits(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.org/a?b=c#d":            "https://|example.org|/a?b=c#d|",
		"https://EXAMPLE.org:8443/":              "https://|example.org|:8443/|",
		"http://localhost:3000/x":                "http://|localhost|:3000/x|",
		"http://127.0.0.1/":                      "http://|127.0.0.1|/|",
		"http://[::1]:80/":                       "http://|[::1]|:80/|",
		"https://аpple.com/login":                "https://|xn--pple-43d.com|/login|аpple.com",
		"https://example.org/a\u202eb?c=ü":       "https://|example.org|/a%E2%80%AEb?c=%C3%BC|",
		"http://example.org/":                    "!is not one with https",
		"http://127.0.0.1.example.org/":          "!is not one with https",
		"javascript:alert(1)":                    "!is no address of a page",
		"https:///x":                             "!is no address of a page",
		"https://example.org@evil.org/":          "!has a name before its host",
		"https://exa mple.org/":                  "!is no address of a page",
		"https://example.org/\x1b[2J":            "!is no address of a page",
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
			t.Errorf("%q, read again, is %+v, %v", v.Address, again, err)
		}
	})
}
