package config

import (
	"net/url"
	"strings"
)

// LooksSecret tells whether a value that somebody wrote in the open should rather be in a variable. It is narrower than what is masked: to mask
// a harmless word costs little, to ask a person for a variable costs more. name is what the value is called, "" when nothing is known.
func LooksSecret(name, value string) bool {
	switch {
	case len(value) < 6 || strings.Contains(value, "${"):
		return false
	case tokenLike(value) || SecretsInAddress(value) != nil:
		return true
	case !tells(name) || pathLike(value) || plainAddress(value):
		return false
	case tellsClearly(name):
		return !onlyDigits(value) || len(value) > 9 // "max_tokens = 100000" is none
	}
	return strings.Trim(strings.ToLower(value), letters+"_- ") != ""
}

// tellsClearly knows the names of which also a plain word is secret.
func tellsClearly(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"token", "secret", "passw", "pwd", "apikey", "api_key", "api-key", "access_key", "private_key", "_pat", "authorization", "cookie"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// tokenLike knows the tokens of well-known services by how they begin, and long words of letters of both kinds and digits.
func tokenLike(value string) bool {
	for _, prefix := range []string{
		"ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "pk_live_", "rk_live_", "xoxb-", "xoxp-", "xapp-",
		"hf_", "AKIA", "AIza", "eyJ", "ntn_", "secret_", "lin_api_", "pat-", "npm_", "pypi-", "dop_v1_", "shpat_", "tvly-", "fc-", "BSA",
	} {
		const shortest = 12
		if strings.HasPrefix(value, prefix) && len(value) >= len(prefix)+shortest && !strings.ContainsAny(value, " /") {
			return true
		}
	}
	const long = 24
	return len(value) >= long && !isUUID(value) && strings.Trim(value, letters+"0123456789_-+=") == "" && mixed(value)
}

// mixed tells what chance wrote from what people did: letters among digits, again and again.
func mixed(value string) bool {
	changes := 0
	for i := 1; i < len(value); i++ {
		before, now := isDigit(value[i-1]), isDigit(value[i])
		if before != now {
			changes++
		}
	}
	const often = 6
	return changes >= often
}

// isUUID knows ids, which name things more often than they open them.
func isUUID(value string) bool {
	return len(value) == 36 && value[8] == '-' && value[13] == '-' && value[18] == '-' && value[23] == '-' &&
		strings.Trim(value, "0123456789abcdefABCDEF-") == ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func onlyDigits(value string) bool { return strings.Trim(value, "0123456789") == "" }

func pathLike(value string) bool {
	if strings.ContainsAny(value, "+= ") {
		return false
	}
	return strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") ||
		strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1 || len(value) > 2 && value[1:3] == `:\`
}

// SecretsInAddress are the parts of an address, as they are written in it, that should rather be in variables: the password, values of the query
// whose names speak of secrets, parts of the path that look like tokens. It is nil when there are none, or when the text is no address.
func SecretsInAddress(address string) (all []string) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || strings.Trim(scheme, letters+"+.-0123456789") != "" {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if _, password, _ := strings.Cut(authority[:at], ":"); password != "" && !strings.Contains(password, "${") {
			all = append(all, password)
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		if tokenLike(part) {
			all = append(all, part)
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		meant, err := url.QueryUnescape(value)
		if err == nil && !strings.Contains(meant, "://") && LooksSecret(name, meant) {
			all = append(all, value)
		}
	}
	return all
}
