package tinymodel

import "fmt"

// Pictures returns the scripts of the pictures in docs/status.md. They call the tools of a server for source code.
func Pictures() map[string]Script {
	return map[string]Script{
		Fallback:  {{Text: "I have no script for that."}},
		"status":  {{Text: "Looking for crashes in the issues"}},
		"last":    {{Text: "Both issues are about the start: number 12 crashes, and 31 starts twice.\n"}},
		"summary": {{Text: "They looked for crashes."}},

		"answer": {{Text: "The window comes up before its settings are read. That is why the first start after an update " +
			"crashes, and the second one does not: by then the settings are there.\n"}},
		"think": {{
			Think: "Which of the issues is about the start? Number 12 says that it crashes, and number 31 that it starts " +
				"twice. Both may have one cause.",
			Text: "Issue 12 it is.\n",
		}},

		"film": {
			{
				Think: "The app crashes on start. Somebody may have reported that. I should search the issues for the crash.",
				Text:  code("search_issues", "crash on start", ""),
			},
			{Think: "Issue 12 it is. Next I need the code itself.", Text: code("index_repository", "aloud", "")},
			{Text: "Issue **12** describes it: the window comes up *before* its settings are read.\n\n" +
				"```go\nfunc start() {\n\topenWindow() // needs the settings\n\treadSettings()\n}\n```\n\nSwap the two calls.\n"},
		},

		"wait":   {{Text: code("search_issues", "crash", "wait")}},
		"second": {{Text: code("read_file", "main.go", "")}, {Text: code("search_issues", "start", "wait")}},
		"three": {{Text: code("read_file", "a.go", "wait") + "\n" + code("search_issues", "all", "wait") + "\n" +
			code("list_commits", "new", "wait")}},
		"index":  {{Text: code("index_repository", "aloud", "wait")}},
		"fails":  {{Text: code("read_file", "lost.go", "fail")}, {Text: "There is no such file.\n"}},
		"delete": {{Text: code("delete_branch", "old-start", "")}},
		"quick":  {{Text: code("search_issues", "quickly", "")}, {Text: "There are two issues.\n"}},
		"forever": {
			{Text: code("search_issues", "one", "")}, {Text: code("search_issues", "two", "")},
			{Text: code("search_issues", "three", "")},
		},
		"report": {
			{Text: code("search_issues", "report", "")}, {Text: code("read_file", "start.go", "fail")},
			{Text: "Issue 12 is the crash on start. The window comes up before its settings are read.\n"},
		},
	}
}

// code returns a call of a tool of that server. If then is not empty it tells the server how the call ends.
func code(tool, what, then string) string {
	if then == "" {
		return call("code__"+tool, fmt.Sprintf(`{"what": %q}`, what))
	}
	return call("code__"+tool, fmt.Sprintf(`{"what": %q, "then": %q}`, what, then))
}

// Scenes returns the scripts of the scenes in docs/ui.md. They call the tools of a shop and the built-in files server.
func Scenes() map[string]Script {
	return map[string]Script{
		"orders": {
			{Think: "**Looking up John**\n\nFirst I need his number.", Text: call("shop__find_user", `{"name": "John"}`)},
			{
				Think: "**Looking up the orders**\n\nHe has number 42.",
				Text:  call("shop__list_orders", `{"what": "user 42", "then": "wait"}`),
			},
		},
		"sorting": {{
			Think: "**Choosing an example**\n\nQuicksort shows both cases.",
			Text: "## Sorting in two ways\n\nQuicksort takes \\(O(n \\log n)\\) on average, and in the worst case\n\n" +
				"\\[ T(n) = \\sum_{i=1}^{n} i = \\frac{n(n+1)}{2} \\in O(n^2) \\]\n\nso choose the pivot at random:[^1]\n\n" +
				"```go\nfunc quick(a []int) {\n\tif len(a) < 2 {\n\t\treturn\n\t}\n" +
				"\tp := a[rand.IntN(len(a))] // random, so that a sorted input does not take quadratic time " +
				"and surprise you\n}\n```\n\n" +
				"| way | average | memory |\n|---|---|---|\n| quick | n log n | log n |\n| merge | n log n | n |\n\n" +
				"> [!NOTE]\n> The package `slices` sorts with pdqsort.\n\nPress <kbd>Ctrl</kbd>+<kbd>C</kbd> to stop it.\n\n" +
				"[^1]: Hoare, *Quicksort*, 1962.\n",
		}},
		"edit": {
			{Text: "I will change the list. " + call("files__edit_file",
				`{"path": "todo.md", "old_text": "- buy milk\n", "new_text": "- buy oat milk\n- buy bread\n"}`)},
			{Text: "Both are on it now.\n"},
		},
		"limit": repeated(8, func(i int) string {
			return call("shop__list_orders", fmt.Sprintf(`{"user": %d}`, 40+i))
		}),
		"hello": {{Text: "Hello!\n"}},
	}
}
