package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// details draws the change or the arguments of a call, its repairs, and its result.
func (e *toolEntry) details(width int, st *look.Look) []string {
	var rows []string
	if e.change.diff != "" {
		rows = e.change.rows(width, st)
	} else if len(e.call.Arguments) > len("null") {
		rows = st.Arguments(e.call.Arguments, width)
		for i, row := range rows {
			rows[i] = st.Clip(row, width)
		}
		rows = beginning(rows, "", width, st)
	}
	for _, repair := range e.call.Repairs {
		rows = append(rows, block("repaired: "+sanitize.Line(repair), width, st)...)
	}
	result := e.result(width, st)
	if len(rows) > 0 && len(result) > 0 {
		rows = append(rows, "")
	}
	return append(rows, result...)
}

// result draws the beginning of a result, or all that is kept of it in the pager: objects with the same kind of values
// as a table, other JSON in colours, and text as it is. The text of an image is its type and size.
func (e *toolEntry) result(width int, st *look.Look) []string {
	draw := markdown.NewRenderer(width-len(indentOf(width)), st.Method, st.Markdown())
	var rows []string
	most, more := shownRows+1, ""
	if st.Whole {
		most = len(e.call.Result)
	}
	if table := tableOf(e.call.Result, e.cut, most); len(table) > 1 && len(table[0]) > 0 {
		rows = draw.Table(table)
		if e.cut {
			more = "… more"
		}
	} else if text, ok := indentedJSON(e.call.Result); ok {
		lines := strings.SplitN(text, "\n", most+1)
		rows = draw.Code(strings.Join(lines[:min(len(lines), most)], "\n"), "json")
	} else if e.call.Result != "" {
		return excerpt(e.call.Result, e.total, width, st)
	}
	return beginning(indented(rows, width), more, width, st)
}

// indentedJSON indents a JSON object or array. ok is false for other text.
func indentedJSON(text string) (indented string, ok bool) {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return "", false
	}
	return look.Indented(json.RawMessage(text))
}

// tableOf returns the first rows of a JSON array of objects, below the names of their members. It returns nil for other
// text, for too many names, and for values that are not flat. Of a truncated text it returns the complete objects.
func tableOf(text string, truncated bool, most int) [][]string {
	const mostColumns = 20
	if truncated {
		text = text[:strings.LastIndex(text, "},")+1] + "]"
	}
	var objects []json.RawMessage
	if json.Unmarshal([]byte(text), &objects) != nil {
		return nil
	}
	var head []string
	table := [][]string{nil}
	for _, object := range objects[:min(len(objects), most)] {
		row := make([]string, len(head))
		for name, value := range look.Members(object) {
			cell := string(value)
			if strings.ContainsAny(cell[:1], "{[") {
				return nil
			}
			_ = json.Unmarshal(value, &cell) // other values than text stay as they are
			i := slices.Index(head, name)
			if i < 0 {
				i, head, row = len(head), append(head, name), append(row, "")
			}
			row[i] = cell
		}
		if object[0] != '{' || len(head) > mostColumns {
			return nil
		}
		table = append(table, row)
	}
	for i, row := range table {
		table[i] = append(row, make([]string, len(head)-len(row))...)
	}
	table[0] = head
	return table
}
