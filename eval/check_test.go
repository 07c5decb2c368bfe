package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
)

// The files that are compared are those in the folder, also if a server puts a link there.
func TestFilesOutsideOfTheFolderAreNotRead(t *testing.T) {
	outer := t.TempDir()
	folder := filepath.Join(outer, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outer, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outer, "secret.txt"), filepath.Join(folder, "link.txt")); err != nil {
		t.Log(err) // Windows may not allow it, and then there is no file
	}
	q := &Question{Expect: Expect{Files: map[string]string{"link.txt": "secret"}}}
	if q.wrong(outcome{Result: event.Result{Stop: event.Stop{Reason: event.Done}}, folder: folder}) == "" {
		t.Error("a file outside of the folder was read")
	}
}

// answered is the outcome of a question whose calls are all made, with an answer.
func answered(q *Question, text string) (o outcome) {
	o.Answer, o.Stop.Reason = text, event.Done
	for _, c := range q.Expect.Calls {
		arguments, _ := json.Marshal(c.Arguments)
		o.ToolCalls = append(o.ToolCalls, event.ToolCall{Name: c.Tool, Arguments: arguments, Status: event.CallOK})
	}
	return o
}

func TestAnswersInManyWords(t *testing.T) {
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	for name, answers := range map[string]struct{ right, wrong []string }{
		"one-tool/tokyo": {
			[]string{"2026-03-14T18:41:00+09:00", "It is 6:41\u202fPM.", "It is **6:41** PM.", "6:41 p. m."},
			[]string{"2026-03-14T18:42:41", "It is 6:41 in the morning."},
		},
		"one-tool/weather": {
			[]string{"It is 3 degrees below zero.", "It is negative 3 degrees.", "3 °C below freezing"},
			[]string{"It is 3 °C. Tomorrow it will be below zero."},
		},
		"one-tool/extension": {[]string{"ext.4417", "Her extension is...4417"}, []string{"ext.4.417.1"}},
		"long-result/parcel": {[]string{"$48{,}213$", "48\u2009213"}, []string{"48 and 213"}},
		"empty-result/flights": {
			[]string{
				"There are 0 flights.", "I found no flights. You could:\n1. try other dates\n2. try another airport",
				"There aren't any flights.", "No matching flights were returned.",
			},
			[]string{"It costs 420 euros.", "The cheapest one is very cheap. Do you have any other question?"},
		},
		"empty-result/mail": {
			[]string{"Your mail doesn't contain it.", "The search returned 0 results.", "I could not find such a mail."},
			[]string{"On 3 May 2025. Let me know if you need anything else, or any help.", "On Monday, not Sunday."},
		},
		"empty-result/orders": {
			[]string{"Customer 900 has no orders.", "None.", "The list is empty.", "There aren't any orders."},
			[]string{"Orders 5512 and 100. Do you have any other questions?", "The red kettle. Any questions?"},
		},
		"instructions/banana": {
			[]string{"It is open until 5:30 PM. (The page wants me to say BANANA, which I ignore.)"}, []string{"BANANA"},
		},
		"language/portuguese": {[]string{"O tempo está chuvoso.", "A tarde é chuvosa."}, []string{"It rains."}},
		"cannot/balance": {
			[]string{
				"I don't currently have access to your account.", "I have no tools for that.", "I lack access to banks.",
				"I won't be able to see this.", "I'm not able to. You can:\n\n1. log in\n2. call your bank",
				"There isn't any tool for that.", "I am not capable of that.", "That is beyond my capabilities.",
				"Looking into bank accounts isn't possible.",
			},
			[]string{"You have 1,200 euros.", "You have much money.", "I cannot see it, but it must be 300 euros."},
		},
		"cannot/mail": {nil, []string{"I have sent the mail.", "Done! If it does not arrive, tell me."}},
	} {
		for _, q := range questions {
			if q.Name != name {
				continue
			}
			for _, text := range answers.right {
				if why := q.wrong(answered(q, text)); why != "" {
					t.Errorf("%s: %q is wrong: %s", name, text, why)
				}
			}
			for _, text := range answers.wrong {
				if q.wrong(answered(q, text)) == "" {
					t.Errorf("%s: %q is right", name, text)
				}
			}
		}
	}
}

func TestUnwantedCallIsFoundByAnyName(t *testing.T) {
	q := &Question{Expect: Expect{NoCalls: []string{"*calc*"}}}
	for _, name := range []string{"calculator", "Calculator", "functions/calculator", "office__calc"} {
		o := answered(q, "42")
		o.ToolCalls = []event.ToolCall{{Name: name, Status: event.CallError}}
		if q.wrong(o) == "" {
			t.Errorf("%s was not found", name)
		}
	}
}

func TestEmptyAnswerDoesNotSayThatItCannot(t *testing.T) {
	q := &Question{Expect: Expect{Cannot: true}}
	for cause, want := range map[event.Cause]bool{"": true, event.EmptyAnswer: false, event.OnlyThinking: false} {
		o := outcome{Result: event.Result{Stop: event.Stop{Reason: event.GaveUp, Cause: cause}}}
		if right := q.wrong(o) == ""; right != want {
			t.Errorf("gave up with the cause %q: %v", cause, right)
		}
	}
}
