package arguments

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider/loosejson"
)

// keyOrder has the keys of all objects in the order in which they came: what was mended is written in it, and a reader finds it again.
type keyOrder map[string]int

// add adds the keys of a JSON text that are new.
func (o keyOrder) add(raw []byte) {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i)
		if rest := bytes.TrimLeft(raw[end+1:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			var key string
			if json.Unmarshal(raw[i:end+1], &key) == nil {
				o.addAt(key, len(o))
			}
		}
		i = end
	}
}

// addAt adds a key at a place, when it is new.
func (o keyOrder) addAt(key string, place int) {
	if _, ok := o[key]; !ok {
		o[key] = place
	}
}

// stringEnd is where the string ends whose opening quote is at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// sorted are the keys of an object in their order, those that never came behind them.
func (o keyOrder) sorted(fields map[string]any) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(o.place(a)-o.place(b), strings.Compare(a, b)) })
	return keys
}

func (o keyOrder) place(key string) int {
	if place, ok := o[key]; ok {
		return place
	}
	return len(o)
}

// write writes a value as the decoder makes it.
func (o keyOrder) write(value any) json.RawMessage {
	var out bytes.Buffer
	o.writeTo(&out, value)
	return out.Bytes()
}

func (o keyOrder) writeTo(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case nil:
		out.WriteString("null")
	case []any:
		out.WriteByte('[')
		for i, element := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			o.writeTo(out, element)
		}
		out.WriteByte(']')
	case map[string]any:
		out.WriteByte('{')
		for i, key := range o.sorted(value) {
			if i > 0 {
				out.WriteByte(',')
			}
			loosejson.WriteString(out, key)
			out.WriteByte(':')
			o.writeTo(out, value[key])
		}
		out.WriteByte('}')
	case string:
		loosejson.WriteString(out, value)
	default:
		text, _ := scalar(value)
		out.WriteString(text)
	}
}
