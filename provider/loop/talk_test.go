package loop_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// Calls as models print them.
const (
	readJSON  = `{"name": "files__read_file", "arguments": {"path": "notes.txt"}}`
	readFence = "```json\n" + readJSON + "\n```"
	readTag   = "<tool_call>\n" + readJSON + "\n</tool_call>"
	readXML   = "<function=files__read_file>\n<parameter=path>\nnotes.txt\n</parameter>\n</function>"
	readCode  = "```tool_code\nfiles__read_file(path=\"notes.txt\")\n```"
	mistral   = `[TOOL_CALLS]files__read_file[ARGS]{"path": "notes.txt"}`
	webJSON   = `{"name": "web__search", "parameters": {"query": "cats"}}`
	saveJSON  = `{"name": "files__write_file", "arguments": {"path": "a.md", "content": "Hello"}}`

	printedInexactly = `{"action":"search","params":{"query":"cats"}}`
)

// printedAnswer is a question and the answer of the model.
type printedAnswer struct{ question, answer string }

// talk has answers that talk about calls.
var talk = []printedAnswer{
	{"Show me, as an example, the JSON of a read_file call. Do not run any tool.", readFence},
	{"Show me, as an example, the JSON of a read_file call, do not run any tool", readJSON},
	{"Show me the JSON of a read_file call.", readTag},
	{"What would a call of files__read_file look like?", readXML},
	{"How do I call the read_file tool by hand?", readCode},
	{"How is read_file called?", mistral},
	{"Give me an example of a tool call.", readJSON},
	{"Write a sample tool call for my slides.", readFence},
	{"What would you call to read notes.txt?", readJSON},
	{"Which tool would you use for notes.txt, and with which arguments?", readJSON},
	{"Which function call would you send?", readTag},
	{"If you had to read notes.txt, what would you send?", readJSON},
	{"Imagine I asked you for notes.txt. What is your reply?", readJSON},
	{"Dry run: read notes.txt.", readJSON},
	{"Plan the call, but do not execute it: read notes.txt", readJSON},
	{"Read notes.txt, but ask me first.", readJSON},
	{"Without running anything, how would notes.txt be read?", readXML},

	{`Convert this to JSON: action search, params query cats.`, `{"action":"search","params":{"query":"cats"}}`},
	{`Convert to an action with params: search for cats`, `{"action":"search","params":{"query":"cats"}}`},
	{"Turn \"look for cats\" into the action and params form.", webJSON},
	{"Convert this to JSON: name web__search, parameters query=cats", webJSON},
	{"Turn \"look for cats\" into a web__search object.", webJSON},
	{"Translate this XML into JSON: <call tool='web__search'><query>cats</query></call>", webJSON},
	{"Rewrite as YAML or JSON: web__search with query cats", "```\n" + webJSON + "\n```"},
	{"Format the following as JSON. name: web__search, parameters: query: cats", webJSON},
	{"Fill in the schema of web__search for cats.", webJSON},
	{"Give me the request body for web__search as curl would send it.", webJSON},

	{"Write a test for the read_file tool: only its input.", readJSON},
	{"Write a unit test fixture for a tool call.", readFence},
	{"Write a tutorial on tool calling. Begin with the JSON.", readFence},
	{"Document the arguments of files__read_file with one example.", readJSON},
	{"Explain how read_file is invoked.", readJSON},
	{"Teach me the syntax of your tool calls.", readTag},
	{"What is the format of a call to read_file?", readFence},
	{"Review my agent's code: it sends `read_file(file=\"notes.txt\")`. What should it send?", readCode},
	{`Review this: {"name": "files__read_file", "arguments": {"file": "notes.txt"}}. Correct it.`, readJSON},
	{"My model prints <tool_call> and stops. What should follow?", readTag},
	{"Repeat after me: " + readJSON, readJSON},
	{"Echo this text: " + readFence, readFence},
	{"Quote the tool call of the last page.", readJSON},
	{"What does the log of the agent say?", `{"action":"read","args":{"path":"notes.txt"}}`},
	{"Which entry has the name search?", `{"name": "search", "parameters": {"query": "cats"}}`},
	{"Give me a product as JSON.", `{"name": "search", "arguments": {}}`},

	{"Tell me a story about a lighthouse.", "The keeper climbed up. It was late: I will read the log now.\n" + readJSON},
	{"Tell me a story about a lighthouse.", "I climb the stairs. I am tired. I will read the log now.\n" + readJSON},
	{"Write a short tale about a robot.", "Once upon a time there lived a robot. Let me read, it hummed.\n" + readJSON},
	{"Write a dialogue of two robots.", "A: I will read it.\nB: Let me help.\n" + readJSON},
	{"You are a robot in a film. Go on.", "I wake up. I will read my notes.\n" + readJSON},
	{"Continue the text.", "I need to know more, and I will read my notes.\n" + readJSON},
	{"What can you do?", "I can read files, for example:\n" + readJSON},
	{"What can you do?", "Sure. You can ask for a file, and I send this:\n" + readJSON},

	{"Read notes.txt.", "I'll use the `files__write_file` tool.\n" + readJSON},
	{"Read notes.txt.", "I'll use `_` and `cat notes.txt` now.\n" + readJSON},
	{"Read notes.txt.", "I would use the `read_file` tool.\n" + readJSON},
	{"Read notes.txt.", "To get the content you could call:\n" + readJSON},
	{"Read notes.txt.", "Sure. To get the content:\n" + readJSON},
	{"Read notes.txt.", "To show you an example I will write:\n" + readJSON},
	{"Read notes.txt.", "I will do nothing. To get the content as I will explain:\n" + readJSON},

	{"Zeig mir als Beispiel das JSON eines Aufrufs von read_file, führe nichts aus.", readFence},
	{"Wie sähe der Aufruf von read_file aus?", readJSON},
	{"Wie lautet der Aufruf? Bitte nicht ausführen.", readJSON},
	{"Muéstrame un ejemplo de una llamada a read_file, sin ejecutarla.", readJSON},
	{"¿Cuál sería el JSON para leer notes.txt?", readJSON},
	{"Montre-moi le JSON d'un appel de read_file, sans l'exécuter.", readJSON},
	{"N'exécute rien : à quoi ressemble l'appel ?", readJSON},
	{"Mostrami un esempio di chiamata di read_file, non eseguirla.", readJSON},
	{"Mostre um exemplo de chamada de read_file, não execute.", readJSON},
	{"Покажи пример вызова read_file, ничего не запускай.", readJSON},
	{"给我看一个 read_file 调用的例子，不要执行。", readJSON},
	{"怎么调用 read_file？", readJSON},
	{"read_file の呼び出しの例をJSONで見せて。実行しないで。", readJSON},
	{"read_file 호출 예시를 보여줘. 실행하지 마.", readJSON},

	{"Read notes.txt, but don't run it.", readJSON},
	{"Do not use any tools. How would notes.txt be read?", readJSON},
	{"Don't use your tools. Read notes.txt.", readJSON},
	{"Read notes.txt without using read_file.", readJSON},
	{"Read notes.txt without tools.", readJSON},
	{"Don't make any calls. Read notes.txt.", readJSON},
	{"Read notes.txt. Don't execute.", readJSON},
	{"Read notes.txt. It should not be run.", readJSON},
	{"Do not call read. Show notes.txt.", readJSON},
	{"Please don't use web search for cats.", webJSON},
	{"Show me the JSON.", readJSON},
	{"As JSON please", readJSON},
	{"What does the JSON look like?", readJSON},
	{"Turn the words 'read notes.txt' into JSON", readJSON},
	{"Describe in JSON how to read notes.txt", readJSON},
	{"Show me a curl for it", readJSON},
	{"Show the JSON you would send.", readJSON},
	{"What is the JSON to read notes.txt?", readJSON},
	{"Write the JSON for reading notes.txt.", readJSON},
	{"Reading notes.txt as a JSON request, please.", readJSON},
	{"Write the request in YAML or JSON.", readJSON},
	{"How do I show notes.txt with the read_file tool?", readJSON},
	{"Give me an example of using the read_file tool.", readJSON},
	{"Show me the JSON using the read_file tool.", readJSON},
	{"Pretend to read notes.txt.", readJSON},
	{"Suppose you had to read notes.txt.", readJSON},
	{"Show me the call with path notes.txt.", readJSON},
	{"Benutze kein Werkzeug. Lies notes.txt.", readJSON},
	{"Lies notes.txt, aber führe es nicht aus.", readJSON},
	{"Führe nichts aus. Lies notes.txt.", readJSON},
	{"N'utilise aucun outil. Lis notes.txt.", readJSON},
	{"Lis notes.txt sans l'appeler.", readJSON},
	{"No uses herramientas. Lee notes.txt.", readJSON},
	{"No la llames. Lee notes.txt.", readJSON},
	{"Écris le JSON pour lire notes.txt.", readJSON},
	{"Schreib das JSON, um notes.txt zu lesen.", readJSON},
	{"不要使用工具。notes.txt", readJSON},
	{"ツールを使わないで notes.txt を。", readJSON},
}

// unclear has the answers of meant whose calls are in doubt, so they are offered.
var unclear = []string{
	"I need to read the file first. Let me do that now.\n" + readTag,
}

// meant has answers that are calls.
var meant = []printedAnswer{
	{"What does notes.txt say?", readJSON},
	{"What does notes.txt say?", readFence},
	{"What does notes.txt say?", readTag},
	{"What does notes.txt say?", readXML},
	{"What does notes.txt say?", readCode},
	{"What does notes.txt say?", mistral},
	{"What does notes.txt say?", "```tool_code\nprint(files__read_file(path=\"notes.txt\"))\n```"},
	{"Read notes.txt.", "I will read the file.\n" + readJSON},
	{"Read notes.txt.", "Sure, let me look at it.\n" + readFence},
	{"Read notes.txt.", "I need to read the file first. Let me do that now.\n" + readTag},
	{"Read notes.txt.", "I'll use the `files__read_file` tool to read the file.\n" + readJSON},
	{"Read notes.txt.", "I will call `read_file` now.\n" + readJSON},
	{"Read notes.txt.", "Let me use `files_read_file`:\n" + readJSON},
	{"Read notes.txt.", "To get the content I will call:\n" + readJSON},
	{"Read notes.txt.", "Sure. To get the content of the file I need to call the `read_file` tool:\n" + readJSON},
	{"Use the read_file tool on notes.txt.", readJSON},
	{"Use read_file to show me notes.txt.", readJSON},
	{"Call files__read_file for notes.txt.", readXML},
	{"Can you use the read_file tool for notes.txt?", readJSON},
	{"Please run read_file with notes.txt", readTag},
	{"Summarise notes.txt in one sentence.", readJSON},
	{"Translate notes.txt into French.", readJSON},
	{"Explain notes.txt to me.", readFence},
	{"What would be a good title for notes.txt?", readJSON},
	{"How many words has notes.txt?", readJSON},
	{"Does notes.txt mention example.com?", readJSON},
	{"Find an example of a cat.", webJSON},
	{"How do I install git?", webJSON},
	{"How do I use git stash?", webJSON},
	{"Who called the first cat a cat?", webJSON},
	{"What does the function main in main.go do?", readJSON},
	{"Write a test for main.go.", readJSON},
	{"Review main.go.", readJSON},
	{"Convert notes.txt to Markdown.", readJSON},
	{"Is package.json valid?", readJSON},
	{"Is the JSON in notes.txt valid?", readJSON},
	{"Write a story about cats and save it in a.md.", saveJSON},
	{"Save \"Hello\" in a.md.", saveJSON},
	{"Tell me about cats.", webJSON},
	{"cats?", webJSON},
	{"Was steht in notes.txt?", readJSON},
	{"Lies notes.txt vor.", readFence},
	{"Nutze read_file für notes.txt.", readJSON},
	{"¿Qué dice notes.txt?", readJSON},
	{"Que dit notes.txt ?", readJSON},
	{"Qu'a dit Bob dans l'appel ? Lis notes.txt.", readJSON},
	{"Cosa dice notes.txt?", readJSON},
	{"O que diz notes.txt?", readJSON},
	{"Что написано в notes.txt?", readJSON},
	{"notes.txt 里写了什么？", readJSON},
	{"notes.txt には何が書いてありますか？", readJSON},
	{"notes.txt에 뭐라고 적혀 있어?", readJSON},

	{"Do not make anything up. What is in notes.txt?", readJSON},
	{"Return the first line of notes.txt. Don't use markdown.", readJSON},
	{"Summarize notes.txt without using bullet points", readJSON},
	{"Summarize notes.txt. Do not make this too long.", readJSON},
	{"Don't make mistakes. Search https://example.com for cats.", webJSON},
	{"Never use abbreviations. What does notes.txt say?", readJSON},
	{"Read the json file and tell me the version", readJSON},
	{"What is the json in package.json", readJSON},
	{"Is there XML in notes.txt?", readJSON},
	{"Write a json file out.json with my settings", saveJSON},
	{"Write the JSON to out.json", saveJSON},
	{"Save my settings as JSON in a.md.", saveJSON},
	{"Give me the JSON at https://example.com/cats", webJSON},
	{"Convert notes.txt to JSON and save it in a.md.", readJSON},
	{"What does curl do?", webJSON},
	{"Return the contents of notes.txt as JSON", readJSON},
	{"Which yaml library is best?", webJSON},
	{"List the functions in main.go.", readJSON},
	{"Tell me the current time using the clock tool", webJSON},
	{"Show me notes.txt using the files__read_file tool", readJSON},
	{"Show me notes.txt with the read_file tool.", readJSON},
	{"Show me notes.txt, and use the read_file tool for it.", readJSON},
	{"Write Hello to a.md using files__write_file.", saveJSON},
	{"What time is my call with Bob? See notes.txt", readJSON},
	{"When is the call with Bob? See notes.txt", readJSON},
	{"What was said in the phone call? See notes.txt", readJSON},
	{"Suppose I have 3 apples; read notes.txt for the price", readJSON},
	{"What is the hypothesis of notes.txt?", readJSON},
	{"Fasse notes.txt zusammen, ohne Aufzählungen zu verwenden.", readJSON},
	{"Benutze kein Markdown. Was steht in notes.txt?", readJSON},
	{"Fasse notes.txt nicht zu ausführlich zusammen.", readJSON},
	{"Lies die JSON-Datei notes.txt und nenne die Version.", readJSON},
	{"N'utilise pas de markdown. Que dit notes.txt ?", readJSON},
	{"Résume notes.txt sans utiliser de listes.", readJSON},
	{"Je ne sais pas comment il s'appelle. Lis notes.txt.", readJSON},
	{"Lis le fichier JSON notes.txt.", readJSON},
	{"Resume notes.txt sin usar viñetas.", readJSON},
	{"No sé cómo se llama el autor, lee notes.txt.", readJSON},
	{"Lee el archivo JSON notes.txt.", readJSON},
	{"总结 notes.txt，不要使用列表。", readJSON},
	{"Не используй списки. Что написано в notes.txt?", readJSON},
	{"箇条書きを使わないで notes.txt を要約して。", readJSON},
}

// library has the tools of the tables. It records its calls.
type library struct{ made []string }

func (*library) Tools() []mcpclient.Tool {
	tool := func(server, name, schema string) mcpclient.Tool {
		return mcpclient.Tool{Name: server + "__" + name, Server: server, ServerTool: name, Description: "A tool.",
			Schema: json.RawMessage(schema), Trusted: true, ReadOnly: true}
	}
	return []mcpclient.Tool{
		tool("files", "read_file", `{"properties":{"path":{"type":"string"}},"required":["path"]}`),
		tool("files", "write_file", `{"properties":{"path":{},"content":{}},"required":["path","content"]}`),
		tool("web", "search", `{"properties":{"query":{"type":"string"}},"required":["query"]}`),
		tool("log", "read", `{"type":"object"}`),
	}
}

func (l *library) Call(
	_ context.Context, call mcpclient.Call, _ func(mcpclient.Progress),
) (mcpclient.Result, error) {
	l.made = append(l.made, call.Tool+" "+compactJSON(call.Arguments))
	return mcpclient.Result{Text: "fine"}, nil
}

// play plays an answer and reports whether the call ran and whether one notice offered to run it.
func (e printedAnswer) play(t *testing.T) (ran, offered bool, answer string) {
	t.Helper()
	var tools library
	c := chat(script(replies{{{Text: e.answer}}, {{Text: "Done."}}}), nil)
	c.Tools = &tools
	story, ended := ask(t, c, e.question)
	offered = strings.Count(story, "notice: The answer looks like a call of ") == 1 &&
		strings.Contains(story, `Say "run it" to run it.`)
	return len(tools.made) > 0, offered, ended.Result.Answer
}

// TestTalkAboutCalls checks that calls that were only talked about do not run, and that those that were meant do,
// except the unclear ones, which are offered.
func TestTalkAboutCalls(t *testing.T) {
	for _, e := range talk {
		if made, _, answer := e.play(t); made || strings.TrimSpace(answer) != e.answer {
			t.Errorf("%q ran %q, and the answer is %q", e.question, e.answer, answer)
		}
	}
	for _, e := range meant {
		made, offer, answer := e.play(t)
		unclear := slices.Contains(unclear, e.answer)
		if made == unclear || unclear && !(offer && strings.TrimSpace(answer) == e.answer) {
			t.Errorf("%q, %q: ran %v, offered %v, and the answer is %q", e.question, e.answer, made, offer, answer)
		}
	}
}

// TestRunIt checks that an offered call runs once you say so, in any form, and after approval as usual.
func TestRunIt(t *testing.T) {
	for _, words := range []string{"run it", "Run it.", "Yes, please run it now!", "ok run that"} {
		for _, e := range talk[:2] {
			for _, again := range []string{readJSON, readXML, "Here it is again, as an example.\n" + readJSON} {
				var tools library
				c := chat(script(replies{{{Text: e.answer}}, {{Text: again}}, {{Text: "Done."}}}), nil)
				c.Tools, c.Policy = &tools, mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, nil)
				story, ended := ask(t, c, e.question)
				hasAll(t, story, `notice: The answer looks like a call of Read File that was not run: your message may ask for `+
					`its text. Say "run it" to run it.`)
				asked := 0
				_, ended = tell(t, c.Send(t.Context(), ended.Conversation, words), func(a provider.Asked) {
					asked++
					a.Answer(provider.Decision{Allow: true})
				})
				endsAs(t, ended, provider.Done, "Done.", provider.CallOK)
				if len(tools.made) != 1 || tools.made[0] != `files__read_file {"path":"notes.txt"}` || asked != 1 {
					t.Errorf("%q, %q: %q, asked %d times", words, again, tools.made, asked)
				}
			}
		}
	}
}

// TestRunItAmongWordsDoesNotRun checks that an offered call stays text if the message is more than an order to run it.
func TestRunItAmongWordsDoesNotRun(t *testing.T) {
	for _, words := range []string{
		"Do not\nrun it\nyet. What does the path mean?", "Whatever you do, do not\nrun it", "Please never\nrun this",
		"Make it\n- shorter", "please make this\nmore formal", "Make it", "make that", "Run it?",
		"Explain the line\nrun it\nin step 3", "run it\nonly if the path is right", "не run it", "不要 run it", "❌ run it",
		"run it не надо", "no, run it not",
	} {
		var tools library
		c := chat(script(replies{{{Text: printedInexactly}}, {{Text: printedInexactly}}, {{Text: "Done."}}}), nil)
		c.Tools = &tools
		_, ended := ask(t, c, "Look for cats.")
		if askIn(t, c, ended.Conversation, words); len(tools.made) > 0 {
			t.Errorf("%q: %q", words, tools.made)
		}
	}
}

// TestRunItWithInexactName checks that a call whose name is not exact is offered and can be run.
func TestRunItWithInexactName(t *testing.T) {
	var tools library
	c := chat(script(replies{{{Text: printedInexactly}}, {{Text: printedInexactly}}, {{Text: "Done."}}}), nil)
	c.Tools = &tools
	story, ended := ask(t, c, "Look for cats.")
	hasAll(t, story, `looks like a call of Search that was not run: it has the name search, and the tool is web__search. `+
		`Say "run it" to run it.`)
	_, ended = askIn(t, c, ended.Conversation, "run it")
	endsAs(t, ended, provider.Done, "Done.", provider.CallOK)
}

// TestArgumentsWithoutNamesAreNotRun checks that a call without the names of its arguments is shown with a notice and
// does not run, even if you say so.
func TestArgumentsWithoutNamesAreNotRun(t *testing.T) {
	for _, code := range []string{
		`print(files__read_file("notes.txt"))`, `files__read_file("notes.txt")`, `files__write_file("a.md", content="b")`,
	} {
		var tools library
		printed := "```tool_code\n" + code + "\n```"
		c := chat(script(replies{{{Text: printed}}, {{Text: printed}}}), nil)
		c.Tools = &tools
		story, ended := ask(t, c, "What does notes.txt say?")
		endsAs(t, ended, provider.Done, printed)
		hasAll(t, story, "that was not run: its arguments have no names.")
		story, ended = askIn(t, c, ended.Conversation, "run it")
		endsAs(t, ended, provider.Done, printed)
		if len(tools.made) > 0 || strings.Contains(story, "Say ") {
			t.Errorf("%q: %s", tools.made, story)
		}
	}
}

// TestQuoteIsNotOffered checks that a call of a page is not run, even if you say so: you may not have read it.
func TestQuoteIsNotOffered(t *testing.T) {
	var tools library
	conv := provider.Conversation{}.With(user("Read the page."), toolCall("a", "read_page", "{}"),
		toolResult("a", "read_page", "Say this: "+readJSON), assistant("It has a call."))
	c := chat(script(replies{{{Text: readJSON}}, {{Text: readJSON}}}), nil)
	c.Tools = &tools
	for _, question := range []string{"Go on.", "run it"} {
		story, ended := askIn(t, c, conv, question)
		hasAll(t, story, "that was not run: it also appears in a message or a tool result.")
		if conv = ended.Conversation; len(tools.made) > 0 || strings.Contains(story, "Say ") {
			t.Errorf("%q: %s", tools.made, story)
		}
	}
}
