package markdown

import "strings"

// markupPieces finds the pieces of HTML and XML: comments, names of tags and of attributes, values, and the code of
// scripts and styles. The text between tags is plain.
func (l *language) markupPieces(code string, piece func(kind, string)) {
	for code != "" {
		at := strings.IndexByte(code, '<')
		if at < 0 {
			break
		}
		piece(plain, code[:at])
		code = code[at:]
		if n := enclosed(code, l.comments); n > 0 {
			piece(comment, code[:n])
			code = code[n:]
			continue
		}
		name := len(code) - len(strings.TrimLeft(code, "</!?"))
		name += l.wordLen(code[name:])
		if !isWordByte(code[name-1]) { // a < b
			piece(plain, code[:name])
			code = code[name:]
			continue
		}
		piece(keyword, code[:name])
		tag := strings.ToLower(code[1:name])
		code = l.attributes(code[name:], piece)
		if lang := map[string]string{"script": "js", "style": "css"}[tag]; lang != "" {
			end := strings.Index(code, "</")
			if end < 0 {
				end = len(code)
			}
			languageOf(lang).pieces(code[:end], piece)
			code = code[end:]
		}
	}
	piece(plain, code)
}

// attributes finds the pieces up to the end of a tag, and returns the code after it.
func (l *language) attributes(code string, piece func(kind, string)) (rest string) {
	for code != "" {
		k, n := plain, 1
		end := len(code) - len(strings.TrimLeft(code, "/?"))
		switch {
		case end < len(code) && code[end] == '>':
			piece(keyword, code[:end+1])
			return code[end+1:]
		case code[0] == '"' || code[0] == '\'':
			k, n = quoted, 1+len(code[1:])
			if end := strings.IndexByte(code[1:], code[0]); end >= 0 {
				n = end + 2
			}
		case code[0] == '<': // the tag before is not closed
			return code
		default:
			if word := l.wordLen(code); word > 0 {
				k, n = key, word
			}
		}
		piece(k, code[:n])
		code = code[n:]
	}
	return ""
}
