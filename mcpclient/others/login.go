package others

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// login reads how to log in, which each program has under other names.
func (e *entry) login(s *Server) {
	table := e.values
	for _, key := range []string{"oauth", "auth"} {
		if inner, ok := e.values[key].(map[string]any); ok {
			table = inner
			e.asked = append(e.asked, key)
		}
	}
	var understood []string
	first := func(keys ...string) (found any) {
		for _, key := range keys {
			understood = append(understood, key)
			e.asked = append(e.asked, key)
			if v := table[key]; found == nil && v != nil {
				found = v
			}
			if v := e.values[key]; found == nil && v != nil {
				found = v
			}
		}
		return found
	}
	l := &s.Login
	if id, _ := first("clientId", "client_id", "CLIENT_ID", "oauthClientId", "oauth_client_id").(string); id != "" {
		l.ClientID = e.text("client id", id)
	}
	if secret, _ := first("clientSecret", "client_secret", "CLIENT_SECRET", "oauthClientSecret", "oauth_client_secret").(string); secret != "" {
		l.ClientSecret = e.text("client secret", secret)
	}
	switch scopes := first("scopes", "scope", "oauthScopes").(type) {
	case string:
		l.Scopes = strings.FieldsFunc(scopes, func(r rune) bool { return r == ' ' || r == ',' })
	case []any:
		l.Scopes = texts(scopes)
	}
	l.Scopes = slices.DeleteFunc(l.Scopes, func(scope string) bool { return scope == "" || strings.ContainsAny(scope, " \t\n\"\\") })
	if port, ok := scalar(first("callbackPort", "callback_port", "oauth_callback_port")); ok {
		if _, err := fmt.Sscanf(port, "%d", &l.CallbackPort); err != nil || l.CallbackPort < 1 || l.CallbackPort > 65535 {
			l.CallbackPort = 0
		}
	}
	if none, _ := e.take("noOAuth").(bool); none {
		l.Off = true
	}
	if on, _ := e.values["oauth"].(bool); on {
		e.asked = append(e.asked, "oauth") // aloud logs in when a server asks for it
	}
	e.loginLeftOut(table, understood)
}

// loginLeftOut says what the inner table has that is not taken over.
func (e *entry) loginLeftOut(table map[string]any, understood []string) {
	_, outer := table["url"]
	_, other := table["httpUrl"]
	if outer || other {
		return // it is the server's own, of which leftOut speaks
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(understood, key) && key != "enabled" {
			e.remark("%q of how to log in is left out", key)
		}
	}
}
