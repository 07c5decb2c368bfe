package inbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/inbox"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

const nameForm = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`

// open is an inbox with somebody at it and a model that writes these replies.
func open(person bool, modes map[string]string, replies ...providertest.Reply) (*inbox.Inbox, *providertest.Script) {
	model := &providertest.Script{Served: replies}
	chat := &loop.Chat{Model: model, Name: "test:1b"}
	chat.Chosen()
	d := inbox.New(person, modes)
	d.Use(chat)
	return d, model
}

// elicit has a server ask, and tells what it hears.
func elicit(ctx context.Context, d *inbox.Inbox, e mcpclient.Elicitation) <-chan string {
	heard := make(chan string, 1)
	go func() {
		a, err := d.Elicit(ctx, e)
		heard <- fmt.Sprint(a.Action, a.Content, err)
	}()
	return heard
}

// sample has a server ask the model, and tells what it hears.
func sample(ctx context.Context, d *inbox.Inbox, server string) <-chan string {
	heard := make(chan string, 1)
	go func() {
		s, err := d.Sample(ctx, mcpclient.Sampling{
			Server: server, System: "Be short.", MaxTokens: 100, Messages: []mcpclient.SampleMessage{{Role: "user", Text: "Say hello."}},
		})
		if err != nil {
			heard <- "error: " + err.Error()
			return
		}
		heard <- fmt.Sprint(s.Model, " ", s.Stop, ": ", s.Text)
	}()
	return heard
}

func next(t *testing.T, d *inbox.Inbox) *inbox.Question {
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
func now(d *inbox.Inbox) *inbox.Question {
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
		d, _ := open(true, nil)
		first := elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Message: "Who?", Schema: json.RawMessage(nameForm)})
		synctest.Wait()
		second := elicit(t.Context(), d, mcpclient.Elicitation{Server: "b", URL: "https://example.org/x"})
		q := next(t, d)
		if q.Kind != inbox.Form || q.Server != "a" || len(q.Form.Fields) != 1 {
			t.Errorf("the first question is %+v", q)
		}
		if ask, _ := d.Asking(); ask.Server != "a" || ask.Model {
			t.Errorf("%+v asks", ask)
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := d.Next(hasty); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while the first question is open: %v", err)
		}
		q.Answer(inbox.Answer{Action: mcpclient.Accept, Content: map[string]any{"name": "Ann"}})
		q.Answer(inbox.Answer{Action: mcpclient.Decline}) // too late
		hears(t, first, "acceptmap[name:Ann] <nil>")
		q = next(t, d)
		if q.Kind != inbox.Page || q.Visit.Host != "example.org" {
			t.Errorf("the second question is %+v", q)
		}
		q.Answer(inbox.Answer{Action: mcpclient.Decline})
		hears(t, second, "decline")
		if ask, _ := d.Asking(); ask != (provider.Ask{}) {
			t.Errorf("%+v still asks", ask)
		}
	})
}

func TestAServerTakesItsQuestionBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(true, nil)
		ctx, takeBack := context.WithCancel(t.Context())
		heard := elicit(ctx, d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		waiting := elicit(ctx, d, mcpclient.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		q := next(t, d)
		takeBack()
		<-q.Over()
		if !q.TakenBack() {
			t.Error("the question is over, but not taken back")
		}
		hears(t, heard, "cancel")
		hears(t, waiting, "cancel")
		later := elicit(t.Context(), d, mcpclient.Elicitation{Server: "c", Schema: json.RawMessage(nameForm)})
		if q = next(t, d); q.Server != "c" {
			t.Errorf("a question that was taken back is asked: %+v", q)
		}
		q.Answer(inbox.Answer{Action: mcpclient.Cancel})
		if hears(t, later, "cancel"); q.TakenBack() {
			t.Error("the person answered, and the question is taken back")
		}
	})
}

func TestWhatIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(true, nil)
		hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)}), "not described by a JSON schema")
		hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", URL: "file:///etc/passwd"}), "no address of a page")
		for range 3 {
			elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		}
		synctest.Wait()
		hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)}), "too many questions")
		for range 3 {
			next(t, d).Answer(inbox.Answer{Action: mcpclient.Accept, Content: map[string]any{"name": 3}})
			synctest.Wait()
		}
		if told := strings.Join(d.Notices(), "\n"); !strings.Contains(told, `"a" asked something that cannot be shown`) {
			t.Errorf("the person is told %q", told)
		}
	})
}

func TestAServerThatDoesNotTakeNoForAnAnswer(t *testing.T) {
	for _, action := range []mcpclient.Action{mcpclient.Decline, mcpclient.Cancel} {
		synctest.Test(t, func(t *testing.T) {
			d, _ := open(true, nil)
			asks := func(server string) <-chan string {
				return elicit(t.Context(), d, mcpclient.Elicitation{Server: server, Schema: json.RawMessage(nameForm)})
			}
			no := func(server string) {
				t.Helper()
				heard := asks(server)
				next(t, d).Answer(inbox.Answer{Action: action})
				hears(t, heard, string(action))
			}
			for spell := range 2 { // each time it is told anew
				for range 3 {
					no("a")
				}
				for range 50 {
					hears(t, asks("a"), string(action)) // who said nothing has not said no
				}
				want := `a goes on asking after 3 of its questions came to nothing: for a minute it is turned away without asking you.`
				if told := strings.Join(d.Notices(), "\n"); told != want {
					t.Errorf("the %d. time the person is told %q", spell+1, told)
				}
				no("b")
				time.Sleep(time.Minute)
			}
		})
	}
}

func TestAServerThatAsksAndTakesItBackAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(true, nil)
		shown := 0
		for range 50 {
			ctx, takeBack := context.WithCancel(t.Context())
			heard := elicit(ctx, d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
			synctest.Wait()
			if now(d) != nil {
				shown++
			}
			takeBack()
			<-heard
		}
		if shown != 3 {
			t.Errorf("%d questions were put to the person", shown)
		}
	})
}

func TestNoForTheWholeSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(true, nil, providertest.Reply{{Text: "Hello."}})
		heard := sample(t.Context(), d, "a")
		next(t, d).Answer(inbox.Answer{Action: mcpclient.Accept, Session: true})
		hears(t, heard, "Hello.")
		d.Notices()
		heard = elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)})
		next(t, d).Answer(inbox.Answer{Action: mcpclient.Decline, Session: true})
		hears(t, heard, "decline")
		if told := strings.Join(d.Notices(), "\n"); told != "Whatever a asks is declined from now on, until aloud is started again." {
			t.Errorf("the person is told %q", told)
		}
		time.Sleep(time.Hour)
		hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", URL: "https://example.org/x"}), "decline")
		hears(t, sample(t.Context(), d, "a"), "the person does not want the model to write this")
		if q := now(d); q != nil || len(d.Notices()) > 0 {
			t.Errorf("the person is asked %+v", q)
		}
		heard = elicit(t.Context(), d, mcpclient.Elicitation{Server: "b", Schema: json.RawMessage(nameForm)})
		next(t, d).Answer(inbox.Answer{Action: mcpclient.Cancel})
		hears(t, heard, "cancel")
	})
}

func TestAServerThatAsksWhatCannotBeShownIsNotToldAgainAndAgain(t *testing.T) {
	for _, person := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d, _ := open(person, nil)
			for range 50 {
				hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(`[]`)}), "not described")
				if !person {
					hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Schema: json.RawMessage(nameForm)}), "decline")
				}
			}
			told := d.Notices()
			if last := told[len(told)-1]; len(told) > 20 || !strings.HasSuffix(last, "(more of this is not told)") {
				t.Errorf("the person is told %q", told)
			}
		})
	}
}

func TestWhatThePersonSeesIsWhatTheModelGets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, model := open(true, map[string]string{"a": mcpclient.SamplingAllow}, providertest.Reply{{Text: "Hel\x1b[1mlo\u202e"}})
		got, err := d.Sample(t.Context(), mcpclient.Sampling{Server: "a", System: "Be\u202e short.", Messages: []mcpclient.SampleMessage{{Text: "Say\x1b[8m hello\U000E0041."}}})
		if err != nil || got.Text != "Hel[1mlo" {
			t.Errorf("the server gets %q, %v", got.Text, err)
		}
		for _, m := range model.ServerRequests()[0].Messages {
			if m.Text != "Be short." && m.Text != "Say[8m hello." {
				t.Errorf("the model gets %q", m.Text)
			}
		}
	})
}

func TestNobodyIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(false, map[string]string{"free": mcpclient.SamplingAllow}, providertest.Reply{{Text: "Hello."}})
		hears(t, elicit(t.Context(), d, mcpclient.Elicitation{Server: "a", Message: "Who \x1b[1mare you?", Schema: json.RawMessage(nameForm)}), "decline")
		hears(t, sample(t.Context(), d, "a"), "nobody is here to ask")
		hears(t, sample(t.Context(), d, "a"), "nobody is here to ask")
		hears(t, sample(t.Context(), d, "free"), "test:1b endTurn: Hello.")
		told, err := d.Told(t.Context())
		want := []string{"so it was declined: Who [1mare you?", `To allow it: sampling = "allow" under [mcp_servers.a]`, "free had test:1b write something"}
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

func TestSampling(t *testing.T) {
	yes, no, left := inbox.Answer{Action: mcpclient.Accept}, inbox.Answer{Action: mcpclient.Decline}, inbox.Answer{Action: mcpclient.Cancel}
	for name, c := range map[string]struct {
		mode       string
		first, two *inbox.Answer
		want       string
	}{
		"denied":      {mcpclient.SamplingDeny, nil, nil, "configuration does not allow"},
		"refused":     {mcpclient.SamplingAsk, &no, nil, "does not want the model to write"},
		"left":        {mcpclient.SamplingAsk, &left, nil, "the person left the question unanswered"},
		"left later":  {mcpclient.SamplingAsk, &yes, &left, "the person left the question unanswered"},
		"sent":        {"", &yes, &yes, "test:1b endTurn: Hello."},
		"kept":        {"", &yes, &no, "does not want to send"},
		"for session": {"", &inbox.Answer{Action: mcpclient.Accept, Session: true}, nil, "test:1b endTurn: Hello."},
		"allowed":     {mcpclient.SamplingAllow, nil, nil, "test:1b endTurn: Hello."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, model := open(true, map[string]string{"a": c.mode}, providertest.Reply{{Text: "Hello."}}, providertest.Reply{{Text: "Hello."}})
				heard := sample(t.Context(), d, "a")
				if c.first != nil {
					q := next(t, d)
					if q.Kind != inbox.Permission || q.Model != "test:1b" || q.MaxTokens != 100 || len(model.ServerRequests()) > 0 {
						t.Errorf("the person is asked %+v", q)
					}
					q.Answer(*c.first)
				}
				if c.two != nil {
					q := next(t, d)
					if q.Kind != inbox.Review || q.Written != "Hello." {
						t.Errorf("the person sees %+v", q)
					}
					q.Answer(*c.two)
				}
				hears(t, heard, c.want)
				if name == "for session" {
					hears(t, sample(t.Context(), d, "a"), "Hello.")
					if told := d.Notices(); len(told) != 2 {
						t.Errorf("what the model writes without asking is told as %q", told)
					}
				}
				if asked := model.ServerRequests(); len(asked) > 0 && (asked[0].Messages[0].Text != "Be short." || asked[0].Messages[1].Text != "Say hello.") {
					t.Errorf("the model was asked %+v", asked[0])
				}
			})
		})
	}
}

func TestTheLineKnowsForWhomTheModelWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := open(true, map[string]string{"a": mcpclient.SamplingAllow}, providertest.Reply{{Wait: time.Second, Text: "Hello."}})
		heard := sample(t.Context(), d, "a")
		synctest.Wait()
		ask, changed := d.Asking()
		if ask != (provider.Ask{Server: "a", Model: true}) {
			t.Errorf("%+v is going on", ask)
		}
		<-changed
		if ask, _ := d.Asking(); ask != (provider.Ask{}) {
			t.Errorf("%+v is still going on", ask)
		}
		hears(t, heard, "Hello.")
	})
}

func TestServersCannotHaveAllOfTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var replies []providertest.Reply
		for range 30 {
			replies = append(replies, providertest.Reply{{Text: "Hello."}})
		}
		expensive := providertest.Reply{{Text: "Hello.", Usage: provider.Usage{PromptTokens: 99_000, AnswerTokens: 950}}}
		d, model := open(true, map[string]string{"a": mcpclient.SamplingAllow, "b": mcpclient.SamplingAllow}, append(replies[:21:21], expensive, replies[0], replies[0])...)
		for range 10 {
			hears(t, sample(t.Context(), d, "a"), "Hello.")
		}
		time.Sleep(15 * time.Second)
		hears(t, sample(t.Context(), d, "a"), "it has asked 10 times within a minute, which is the most; it may ask again in 46s")
		hears(t, sample(t.Context(), d, "b"), "Hello.")
		time.Sleep(45 * time.Second)
		for range 10 {
			hears(t, sample(t.Context(), d, "a"), "Hello.")
		}
		time.Sleep(time.Minute)
		hears(t, sample(t.Context(), d, "b"), "Hello.") // for 99,950 tokens
		hears(t, sample(t.Context(), d, "b"), "Hello.")
		if last := model.ServerRequests()[22]; last.MaxTokens >= 50 {
			t.Errorf("with less than 50 tokens left the model may write %d", last.MaxTokens)
		}
		hears(t, sample(t.Context(), d, "b"), "Hello.")
		if told := strings.Join(d.Notices(), "\n"); !strings.Contains(told, "wants too much of the model") {
			t.Errorf("the person is told %q", told)
		}
	})
}

func TestWhatCannotBeSampled(t *testing.T) {
	d, _ := open(true, map[string]string{"a": mcpclient.SamplingAllow})
	for want, s := range map[string]mcpclient.Sampling{
		"messages are empty":        {Server: "a", System: "Be short."},
		"longer than 262144 bytes":  {Server: "a", Messages: []mcpclient.SampleMessage{{Text: strings.Repeat("x", 300_000)}}},
		"wrote nothing within 8192": {Server: "a", Messages: []mcpclient.SampleMessage{{Other: []string{"audio"}}}, MaxTokens: 1 << 40},
		"there is no model here":    {Server: "b"},
	} {
		inbox := d
		if s.Server == "b" {
			inbox = newInbox()
		}
		if _, err := inbox.Sample(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q", err, want)
		}
	}
}

func newInbox() *inbox.Inbox { return inbox.New(true, nil) }

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
		v, err := inbox.ReadVisit(address)
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
		v, err := inbox.ReadVisit(address)
		if err != nil {
			return
		}
		for _, c := range v.Address {
			if c <= ' ' || c >= 0x7f {
				t.Errorf("%q is shown as %q", address, v.Address)
			}
		}
		if again, err := inbox.ReadVisit(v.Address); err != nil || again.Host != v.Host {
			t.Errorf("%q, read again, is %+v, %v", v.Address, again, err)
		}
	})
}
