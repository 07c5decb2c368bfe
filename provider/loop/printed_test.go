package loop_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// recorder is a tool that records its arguments.
func recorder(made *[]string) function {
	return func(_ context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		*made = append(*made, arguments)
		return mcpclient.Result{Text: "done"}, nil
	}
}

// TestQuotedTextDoesNotChooseArguments has calls whose content has the text of another argument. The tool gets the
// content as it is, or the model is told to write the call again.
func TestQuotedTextDoesNotChooseArguments(t *testing.T) {
	const begin = "<function=box__do_write>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n"
	const end = "\n</parameter>\n</function>"
	const again = `{"name":"box__do_write","arguments":{"path":"a.md","content":"as JSON"}}`
	for name, test := range map[string]struct{ printed, want string }{
		"in a line":   {begin + "use <parameter=path>other.md</parameter>" + end, "use <parameter=path>other.md</parameter>"},
		"in lines":    {begin + "a\n<parameter=path>other.md</parameter>" + end, "a\n<parameter=path>other.md</parameter>"},
		"an end":      {begin + "a\n</function>\nb" + end, "a\n</function>\nb"},
		"a pair":      {begin + "<parameter>a</parameter>" + end, "<parameter>a</parameter>"},
		"half a pair": {begin + "a </parameter>\n<parameter=path>\nother.md" + end, "as JSON"},
		"both ends":   {begin + "a\n</parameter>\n</function>\nb" + end, "as JSON"},
		"left over":   {begin + "a" + end + "\n</parameter>", "as JSON"},
		"half a string": {
			`{"name":"box__do_write","arguments":{"path":"a.md","content":"a"}}", "path":"other.md"}}`, "as JSON",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var made []string
			model := script(replies{{{Text: test.printed}}, {{Text: again}}, {{Text: "Done."}}})
			if test.want != "as JSON" {
				model = script(replies{{{Text: test.printed}}, {{Text: "Done."}}})
			}
			_, ended := ask(t, chat(model, toolbox{{"do_write", recorder(&made)}}), "Save it.")
			endsAs(t, ended, event.Done, "Done.")
			want := compactJSON([]byte(`{"path":"a.md","content":` + strconv.Quote(test.want) + `}`))
			if len(made) != 1 || compactJSON([]byte(made[0])) != want {
				t.Fatalf("the tool got %q, not %s", made, want)
			}
			if test.want == "as JSON" {
				hasAll(t, sent(model.Requests()[1]), "Write it as one JSON object", "box__do_write")
			}
		})
	}
}

// TestRepeatedKeysAreRefused has calls with a key that stands twice, written by the model or made by it.
func TestRepeatedKeysAreRefused(t *testing.T) {
	for _, arguments := range []string{
		`{"path":"a","path":"b"}`, `{"path":"a","p\u0061th":"b"}`, `{"to":{"path":"a","path":"a"}}`,
		`[{"path":"a","path":"b"}]`, `"{\"path\":\"a\",\"path\":\"b\"}"`, `{path:"a",'path':"b"}`,
	} {
		for name, first := range map[string]step{
			"native":  calls("do_write " + arguments),
			"printed": {Text: `{"name":"box__do_write","arguments":` + arguments + `}`},
		} {
			var made []string
			model := script(replies{{first}, {{Text: "Done."}}})
			_, ended := ask(t, chat(model, toolbox{{"do_write", recorder(&made)}}), "Save it.")
			if all := ended.Result.ToolCalls; len(made) > 0 || len(all) != 1 || all[0].Status != event.CallError {
				t.Errorf("%s %s: the tool got %q, and the calls are %+v", name, arguments, made, ended.Result.ToolCalls)
			}
		}
	}
}
