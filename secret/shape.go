package secret

import (
	"slices"
	"strings"
)

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters = lower + upper
	digits  = "0123456789"
)

// beginnings are how the tokens of well-known services begin.
var beginnings = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "pk_live_", "rk_live_", "xoxb-", "xoxp-", "xapp-",
	"hf_", "gsk_", "AKIA", "AIza", "eyJ", "ntn_", "secret_", "lin_api_", "pat-", "npm_", "pypi-", "dop_v1_", "shpat_", "tvly-", "fc-", "BSA",
}

// tokenLike knows the tokens of well-known services by how they begin, and long words of letters of both kinds and digits.
func tokenLike(value string) bool {
	const long = 24
	return known(value) || len(value) >= long && !isUUID(value) && strings.Trim(value, letters+digits+"_-+=") == "" && mixed(value)
}

// known tells a token of a well-known service. What goes on in small letters alone is a name that begins like one.
func known(value string) bool {
	const atLeast = 12 // characters behind the beginning
	return slices.ContainsFunc(beginnings, func(beginning string) bool {
		rest, ok := strings.CutPrefix(value, beginning)
		return ok && len(rest) >= atLeast && !strings.ContainsAny(rest, " /") && strings.Trim(rest, lower+"-_") != ""
	})
}

// mixed tells what chance wrote from what people did: letters next to digits, again and again. Dashes between numbers make a date.
func mixed(value string) bool {
	changes := 0
	for i := 1; i < len(value); i++ {
		before, now := value[i-1], value[i]
		if isDigit(before) && isLetter(now) || isLetter(before) && isDigit(now) {
			changes++
		}
	}
	const often = 6
	return changes >= often
}

// isUUID knows ids, which name things more often than they open them.
func isUUID(value string) bool {
	return len(value) == 36 && value[8] == '-' && value[13] == '-' && value[18] == '-' && value[23] == '-' &&
		strings.Trim(value, digits+"abcdefABCDEF-") == ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func onlyDigits(value string) bool { return strings.Trim(value, digits) == "" }

// plain knows single words, paths, and addresses without parameters and numbers, which results are full of.
func plain(value string) bool {
	word := strings.Trim(value, letters) == ""
	return word || strings.ContainsAny(value[:1], "/~.") || strings.Contains(value, `:\`) || plainAddress(value)
}

func plainAddress(value string) bool {
	rest, ok := strings.CutPrefix(value, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(value, "http://")
	}
	host, path, _ := strings.Cut(rest, "/")
	return ok && !strings.ContainsAny(host, "@?#") && strings.Trim(path, letters+"/-_.") == ""
}

// pathLike is narrower than plain: tokens may begin with a slash, too.
func pathLike(value string) bool {
	if strings.ContainsAny(value, "+= ") {
		return false
	}
	return strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") ||
		strings.HasPrefix(value, "/") && strings.Count(value, "/") > 1 || len(value) > 2 && value[1:3] == `:\`
}
