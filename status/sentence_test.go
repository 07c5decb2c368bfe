package status_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/charmbracelet/x/ansi"
)

// answers are what models write when they are asked for one sentence, and what of it is shown; "": nothing is.
var answers = []struct{ name, said, want string }{
	{"as asked for", "Looking up user information in the database", "Looking up user information in the database"},
	{"lower case and a full stop", "looking up user information in the database.\n", "Looking up user information in the database"},
	{"quotes", `"Looking up the user."`, "Looking up the user"},
	{"curly quotes", "“Looking up the user…”", "Looking up the user"},
	{"single quotes with an apostrophe", "'Looking up the user's name'", "Looking up the user's name"},
	{"German quotes", "„Sucht den Benutzer in der Datenbank“", "Sucht den Benutzer in der Datenbank"},
	{"French quotes", "« Recherche de l’utilisateur »", "Recherche de l’utilisateur"},
	{"Spanish quotes", "«Buscando el usuario.»", "Buscando el usuario"},
	{"Japanese quotes", "「ユーザーを検索しています」", "ユーザーを検索しています"},
	{"Chinese quotes", "“正在查找用户信息。”", "正在查找用户信息"},
	{"a quote that never ends", `"Looking up the user in the`, "Looking up the user in the"},
	{"a quote that never began", `Looking up the user"`, "Looking up the user"},
	{"a quote at the end only", `Reading the file "notes.txt"`, `Reading the file "notes.txt"`},
	{"a quote at the beginning only", `"notes.txt" is being read`, `"notes.txt" is being read`},
	{"two quotes", `"a.txt" and "b.txt"`, `"a.txt" and "b.txt"`},
	{"possession at the end", "Reading the files of the users'", "Reading the files of the users'"},

	{"bold", "**Looking up the user**", "Looking up the user"},
	{"bold in it", "Looking up **the user**", "Looking up the user"},
	{"a list", "- *Looking up* the user.", "Looking up the user"},
	{"a numbered list", "1. Looking up the user\n2. Reading the file", "Looking up the user"},
	{"a heading with code", "## Looking up `main.go`", "Looking up main.go"},
	{"a quotation", "> _Looking up the user_", "Looking up the user"},
	{"a fence", "```\nLooking up the user\n```", "Looking up the user"},
	{"a fence with a language", "```text\nLooking up the user\n```", "Looking up the user"},
	{"a fence that is waves", "~~~\nLooking up the user\n~~~", "Looking up the user"},
	{"a link", "[Looking](http://e.x) up", ""},
	{"a table", "| Looking | up |", ""},
	{"an image", "![Looking up](x.png) the user", ""},
	{"HTML", "<b>Looking up</b> the user", ""},
	{"an entity", "Looking up the user &amp; more", ""},
	{"LaTeX", `Computing $\frac{1}{2}$ of it`, ""},

	{"two lines", "Reading the file.\n\nIt has many lines.", "Reading the file"},
	{"two lines of Windows", "Reading the file.\r\nIt has many lines.", "Reading the file"},
	{"two sentences", "Reading the file. Then I will count its lines.", "Reading the file"},
	{"an abbreviation is no end", "Looking for Dr. Smith in the list", "Looking for Dr. Smith in the list"},
	{"a version is no end", "Looking for Go 1.26 in the notes", "Looking for Go 1.26 in the notes"},
	{"the same again", "Looking up the user\nLooking up the user\nLooking up the user", "Looking up the user"},

	{"thinking that ended", "<think>Hm.</think>\n\nReading the file", "Reading the file"},
	{"thinking that began in the template", "Hm.</think>Reading the file", "Reading the file"},
	{"thinking that never ends", "<think>Reading the file", ""},
	{"thinking with other tags", "<thinking>Reading the file</thinking>", ""},
	{"thinking in channels", "<|channel|>analysis<|message|>We need a sentence", ""},
	{"thinking without tags", "Okay, the user wants me to look up the user.", ""},
	{"thinking about itself", "We need to output one sentence.", ""},
	{"thinking about the answer", "I need to write a sentence about the tool", ""},
	{"thinking aloud", "Hmm, what does the tool do", ""},
	{"thinking, let me", "Let me think about this first", ""},
	{"thinking in Chinese", "用户想知道东京的时间", ""},
	{"thinking in Chinese, too", "嗯，这个工具是做什么的", ""},
	{"thinking in Japanese", "ユーザーは東京の時間を知りたいようです", ""},
	{"thinking in Spanish", "El usuario quiere saber la hora", ""},
	{"thinking in German", "Der Benutzer möchte die Uhrzeit wissen", ""},
	{"users may be what it is about", "The users of the group are being listed", "The users of the group are being listed"},
	{"users in Japanese may be, too", "ユーザー情報を検索しています", "ユーザー情報を検索しています"},

	{"polite", "Sure! Looking up the user.", "Looking up the user"},
	{"polite, then the sentence", "Sure! Here is the sentence:\n\nLooking up the user", "Looking up the user"},
	{"polite in one line", "Sure! Here's the sentence: \"Looking up the user\"", "Looking up the user"},
	{"polite and nothing else", "Sure! Here is the sentence:", ""},
	{"polite and done", "Of course!", ""},
	{"polite in Chinese", "好的，正在查找用户信息。", "正在查找用户信息"},
	{"polite in Japanese", "承知しました。ユーザーを検索しています。", "ユーザーを検索しています"},
	{"polite in Spanish", "¡Claro! Buscando el usuario en la base de datos.", "Buscando el usuario en la base de datos"},
	{"polite in German", "Natürlich! Hier ist der Satz: Sucht den Benutzer", "Sucht den Benutzer"},
	{"a label", "Sentence: Looking up the user", "Looking up the user"},
	{"a bold label", "**Status:** Looking up the user", "Looking up the user"},
	{"its role", "assistant\nLooking up the user", "Looking up the user"},
	{"an offer", "I'd be happy to help you with that!", ""},
	{"a greeting", "Hello there, how are you today", ""},

	{"a refusal", "As an AI language model, I cannot run tools.", ""},
	{"sorry", "I'm sorry, but I can't do that.", ""},
	{"sorry with a curly apostrophe", "I can’t look up the user", ""},
	{"a refusal in Chinese", "抱歉，我无法执行此操作。", ""},
	{"a refusal in Japanese", "申し訳ありませんが、実行できません。", ""},
	{"a refusal in Spanish", "Lo siento, no puedo hacerlo.", ""},
	{"a refusal in German", "Tut mir leid, das kann ich nicht.", ""},

	{"a question", "What is the user's name?", ""},
	{"a question in quotes", "“Shall I look up the user?”", ""},
	{"a question and more", "Shall I look up the user? I can do that.", ""},
	{"a question in Chinese", "需要我查找用户吗？", ""},
	{"a question in Chinese without its mark", "需要我查找用户吗", ""},
	{"a question in Japanese", "ユーザーを検索しますか。", ""},
	{"a question in Spanish", "¿Busco el usuario?", ""},
	{"a question in Spanish, cut off", "¿Busco el usuario en la", ""},

	{"the request again", `You are now running the tool "get_user" with the arguments`, ""},
	{"the request's order again", "Tell the user what you are doing, in one sentence", ""},
	{"the request's rules again", "One sentence with a present participle", ""},

	{"JSON", `{"name": "get_user"}`, ""},
	{"JSON in a fence", "```json\n{\"status\": \"Looking up\"}\n```", ""},
	{"a list of JSON", `["Looking up the user"]`, ""},
	{"a call as code", "get_user(id=3)", ""},
	{"a call with words", "Calling get_user(3) for you", ""},
	{"a call with tags", "<tool_call>get user</tool_call>", ""},
	{"a call with brackets", "[TOOL_CALLS] get user", ""},
	{"a call with bars", "<｜tool▁calls▁begin｜>get user", ""},
	{"a call of Python", "```python\nprint(get_user(3))\n```", ""},
	{"a call of a shell", "$ get user 3", ""},
	{"a call of a shell with flags", "search --query users now", ""},
	{"a call of ReAct", "Action: get user\nAction Input: 3", ""},
	{"a thought of ReAct", "Thought: I should get the user", ""},
	{"a call by name", "get_user", ""},
	{"a call by name and words", "get_user id 3", ""},
	{"a call with a label", "Tool call: get user 3", ""},
	{"a call of a function with dots", "functions.get_user:0", ""},
	{"a tool's name in a sentence", "Running get_user for the third user", "Running get_user for the third user"},
	{"a plural that may be none", "Reading the file(s) of the project", "Reading the file(s) of the project"},

	{"emoji", "🔍 Looking up the user 👩\u200d💻", "Looking up the user"},
	{"emoji and nothing else", "🔍🎉", ""},
	{"emoji with a colour", "👍🏽 Looking up the user", "Looking up the user"},
	{"punctuation and nothing else", "?!… --- ...", ""},
	{"numbers and nothing else", "42 17", ""},
	{"one word", "OK", ""},
	{"one word of Chinese", "好的。", ""},
	{"nothing", "", ""},
	{"empty lines", "\n \n\t\n", ""},
	{"dots", "…", ""},

	{"escape sequences", "Looking \x1b[31mup the user", ""},
	{"a title sequence", "Looking up\x1b]0;pwned\x07 the user", ""},
	{"words from right to left", "Looking \u202eup the user", ""},
	{"broken characters", "Looking \xff up", ""},
	{"a zero byte", "Looking up\x00 the user", ""},

	{"ten words", "one two three four five six seven eight nine ten", "One two three four five six seven eight nine ten"},
	{"eleven words", "one two three four five six seven eight nine ten, eleven", "One two three four five six seven eight nine ten…"},
	{"long words", "Investigating extraordinarily overcomplicated misconfigurations, systematically", "Investigating extraordinarily overcomplicated…"},
	{"fifteen words", strings.Repeat("word ", 15), ""},
	{"500 characters", strings.Repeat("Looking up the user and ", 21), ""},
	{"a word of 500 characters", strings.Repeat("x", 500) + " y", ""},

	{"Chinese", "正在查询数据库中的用户信息", "正在查询数据库中的用户信息"},
	{"Chinese with Latin words", "正在使用 GitHub API 搜索问题", "正在使用 GitHub API 搜索问题"},
	{"Chinese, two sentences", "正在查找用户。请稍候。", "正在查找用户"},
	{
		"Chinese, cut after a clause", "正在数据库中查找用户的全部个人信息，然后我会根据查询的结果更新相关的记录",
		"正在数据库中查找用户的全部个人信息…",
	},
	{
		"Chinese, cut between characters", "正在数据库中查找用户的全部个人信息以及根据查询的结果更新相关记录",
		"正在数据库中查找用户的全部个人信息以及根据查询的结果更新相…",
	},
	{
		"Chinese, not cut in a name", "正在数据库中查找用户的全部个人信息以及根据查询结果repository_name",
		"正在数据库中查找用户的全部个人信息以及根据查询结果…",
	},
	{"Chinese, 500 cells", strings.Repeat("长", 250), ""},
	{"Japanese", "データベースでユーザー情報を検索しています。", "データベースでユーザー情報を検索しています"},
	{
		"Japanese, cut after a clause", "データベースでユーザー情報を検索しており、その結果をもとに記録を更新しています",
		"データベースでユーザー情報を検索しており…",
	},
	{"German", "Sucht die Benutzerdaten in der Datenbank.", "Sucht die Benutzerdaten in der Datenbank"},
	{"German, an abbreviation", "Liest Dateien, z. B. die Notizen", "Liest Dateien, z. B. die Notizen"},
	{"Spanish", "Buscando la información del usuario en la base de datos.", "Buscando la información del usuario en la base de datos"},
	{"Korean", "사용자 정보를 검색하는 중", "사용자 정보를 검색하는 중"},
	{"Russian", "ищу пользователя в базе", "Ищу пользователя в базе"},
	{"Persian keeps its joiners", "در حال جستجوی کاربر می\u200cخواهم", "در حال جستجوی کاربر می\u200cخواهم"},
	{"a name that is not written large", "npm install is running", "npm install is running"},
	{"a file at the beginning", "main.go is being read", "main.go is being read"},
	{"an address", "Fetching https://example.com/a", "Fetching https://example.com/a"},
}

func TestSentence(t *testing.T) {
	names := map[string]bool{}
	for _, a := range answers {
		if names[a.name] {
			t.Errorf("two are called %q", a.name)
		}
		names[a.name] = true
		got, ok := status.Sentence(a.said)
		if got != a.want || ok != (a.want != "") {
			t.Errorf("%s: Sentence(%.100q) = %q, %v, want %q", a.name, a.said, got, ok, a.want)
		}
	}
	if len(answers) < 60 {
		t.Errorf("%d answers are too few to prove much", len(answers))
	}
}

func TestFromSaid(t *testing.T) {
	for _, c := range []struct{ name, text, thinking, want string }{
		{"the last sentence of the text", "Sure! I need more. Let me check the current time in Tokyo.", "", "Let me check the current time in Tokyo"},
		{"the last line of the text", "I know little.\n\nSearching the repository for tests:\n", "", "Searching the repository for tests"},
		{"English", "Let me look that up:", "", "Let me look that up"},
		{"Chinese", "我来查一下。", "", "我来查一下"},
		{"Chinese, the last of two", "好的。我来查一下东京的时间：", "", "我来查一下东京的时间"},
		{"Japanese", "かしこまりました。東京の時刻を調べますね。", "", "東京の時刻を調べますね"},
		{"Spanish", "¡Claro! Voy a buscar el archivo.", "", "Voy a buscar el archivo"},
		{"German", "Gern. Ich sehe im Kalender nach …", "", "Ich sehe im Kalender nach"},
		{"German with a colon", "Ich schaue kurz nach:", "", "Ich schaue kurz nach"},
		{"text before thinking", "Reading the file", "**Planning the work**", "Reading the file"},
		{"a version is no end", "Looking for Go 1.26 in the notes", "", "Looking for Go 1.26 in the notes"},
		{"bold at the end", "I know little. **Searching the notes.**", "", "Searching the notes"},
		{"the last heading", "", "**Planning the work**\n\nFirst …\n\n**Looking for files**\n\nThen …", "Looking for files"},
		{"a heading with a hash", "", "Hm.\n## Checking the user's rights\nso", "Checking the user's rights"},
		{"bold inside a line is no heading", "", "This is **very important** here.", ""},
		{"thinking when the text is no use", "Shall I?", "**Looking for files**", "Looking for files"},
		{"a call that was printed", "Looking for files.\n{\"name\": \"find\"}", "", ""},
		{"code before the call", "Here:\n```sh\nls -la\n```", "", ""},
		{"politeness alone", "Sure!", "", ""},
		{"an offer", "Sure! I can help you with that.", "", ""},
		{"a long text", strings.Repeat("I know a lot about it.\n", 1_000_000) + "Looking for files", "", "Looking for files"},
		{"long thinking", "", strings.Repeat("**Planning the work**\n", 1_000_000) + "**Looking for files**\n", "Looking for files"},
		{"nothing", "", "", ""},
	} {
		got, ok := status.FromSaid(c.text, c.thinking)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	for _, s := range []string{
		"**Looking up** the user.", "- a\x1b[2J", "<think>", `"x y"`, strings.Repeat("長 ", 20), "ß ǆ", "a . b ! c ? d", "1) > # * a b", "__ __",
	} {
		f.Add(s)
	}
	for _, a := range answers {
		f.Add(a.said)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, from := range []func(string) (string, bool){
			status.Sentence,
			func(s string) (string, bool) { return status.FromSaid(s, "") },
			func(s string) (string, bool) { return status.FromSaid("", s) },
		} {
			s, ok := from(text)
			if ok != (s != "") {
				t.Fatalf("%q, but ok is %v", s, ok)
			}
			if sanitize.Line(s) != s {
				t.Errorf("%q is not a safe line", s)
			}
			if w := ansi.StringWidthWc(s); w > 60 {
				t.Errorf("%q is %d cells wide", s, w)
			}
			if n := len(strings.Fields(s)); n > 10 {
				t.Errorf("%q has %d words", s, n)
			}
			if strings.ContainsAny(s, "<>{}[]|`*") {
				t.Errorf("%q has markup in it", s)
			}
			if !saidIn(text, s) {
				t.Errorf("%q is not what was said: %q", s, text)
			}
		}
	})
}

// saidIn tells whether all letters and digits of a sentence come in the text, in their order.
func saidIn(text, sentence string) bool {
	text = strings.ToUpper(text)
	for _, r := range strings.ToUpper(sentence) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}

func BenchmarkSentence(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		status.Sentence("Sure! Here is the sentence: \"Looking up user information in the database.\"")
	}
}

func BenchmarkFromSaid(b *testing.B) {
	b.ReportAllocs()
	thinking := strings.Repeat("**Planning the work**\n\nThe user wants to know the time, so I look it up.\n", 20_000)
	for b.Loop() {
		status.FromSaid("", thinking)
	}
}
