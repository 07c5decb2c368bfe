package oauth

import (
	"errors"
	"net/url"
	"strings"
)

// maxPasted is in bytes. Addresses are shorter, codes in them included.
const maxPasted = 32 << 10

var errPasted = errors.New("that is not the address we wait for: paste the whole one that the browser shows after the login, " +
	"which begins with http://127.0.0.1 and has \"code=\" and \"state=\" in it")

// readPasted reads the answer of the authorization server out of what a person pasted: the whole address, or what is after its question mark,
// with whatever a terminal, a chat or a mail puts around it.
func readPasted(text string) (url.Values, error) {
	if len(text) > maxPasted {
		return nil, errPasted
	}
	text = strings.Trim(strings.Join(strings.Fields(text), ""), "\"'<>`") // a long address may have been broken into lines
	if _, query, ok := strings.Cut(text, "?"); ok {
		text = query
	}
	text, _, _ = strings.Cut(text, "#")
	answer, err := url.ParseQuery(text)
	if err != nil || answer.Get("state") == "" || answer.Get("code") == "" && answer.Get("error") == "" {
		return nil, errPasted
	}
	return answer, nil
}
