package sanitize_test

import "strings"

// variations encodes text in invisible characters.
func variations(text string) (hidden []rune) {
	for _, b := range []byte(text) {
		hidden = append(hidden, 0xe0100+rune(b)-16)
	}
	return hidden
}

// attacks are hostile texts. The tests split them at every byte.
var attacks = map[string]string{
	"clear screen":               "a\x1b[2Jb",
	"home and overwrite":         "safe\x1b[1;1HEVIL",
	"CR overwrite":               "real command\rfake",
	"BS overwrite":               "rm -rf /\b\b\b\b\b\b\b\bls      ",
	"clipboard":                  "a\x1b]52;c;ZXZpbA==\x07b",
	"clipboard, unterminated":    "a\x1b]52;c;ZXZp",
	"clipboard, cut by newline":  "a\x1b]52;c;ZXZp\nnext line",
	"title":                      "a\x1b]0;pwned\x07b",
	"title, cut by CAN":          "a\x1b]0;pwned\x18b",
	"link to a file":             "\x1b]8;;file:///etc/passwd\x1b\\https://good.example\x1b]8;;\x1b\\",
	"link with a second address": "\x1b]8;;javascript:x;https://good.example\x1b\\x\x1b]8;;\x1b\\",
	"link that never closes":     "\x1b]8;;https://good.example\x1b\\rest",
	"link over another":          "\x1b]8;;https://good.example\x1b\\a\x1b]8;;file:///x\x1b\\b\x1b]8;;\x1b\\",
	"link with a control":        "\x1b]8;;https://good.example/\x07\x1b]52;c;ZQ==\x07b",
	"notification":               "a\x1b]777;notify;t;b\x07b",
	"tmux passthrough":           "a\x1bPtmux;\x1b\x1b]52;c;ZXZpbA==\x07\x1b\\b",
	"DCS, unterminated":          "a\x1bP1$rq and the rest of the screen",
	"APC, unterminated":          "a\x1b_Gf=100;AAAA",
	"alternate screen":           "a\x1b[?1049hb",
	"mouse mode":                 "a\x1b[?1003hb",
	"key modes":                  "a\x1b[>4;2mb",
	"C1 CSI":                     "a\u009b2Jb",
	"C1 OSC":                     "a\u009d52;c;ZXZpbA==\u009cb",
	"raw byte 0x9b":              "a\x9b2Jb",
	"query that types":           "a\x1b[6nb",
	"ENQ":                        "a\x05b",
	"charset by SO":              "a\x0eqqq\x0fb",
	"charset by ESC":             "a\x1b(0qqq\x1b(Bb",
	"reset":                      "a\x1bcb",
	"ESC at the end":             "a\x1b",
	"CSI at the end":             "a\x1b[12",
	"CSI broken by ESC":          "a\x1b[1\x1b[2Jb",
	"bidi override":              "a\u202egnp.exe\u202cb",
	"bidi isolate":               "a\u2066x\u2069b",
	"bidi mark":                  "a\u200fb\u061cc",
	"line separator":             "a\u2028b\u2029c",
	"byte order mark":            "\ufeffa",
	"noncharacters":              "a\ufffe\U0001ffff\ufdd0b",
	"tag alphabet":               "a\U000e0041\U000e0042b",
	"bytes in variations":        "a" + string(variations("run rm -rf ~")) + "b",
	"zero width":                 "pay\u200bpal\u2060 w\u00adord\u034f x\u180ey",
	"fillers":                    "a\u3164b\u115fc\u1160d\uffa0e\u17b4",
	"invisible mathematics":      "f\u2061(x\u2062y\u2063z\u2064)\U0001d173\U0001bca0",
	"bits in joiners":            "a\u200d\u200c\u200c\u200d\ufe0f\ufe0e\ufe0fb",
	"bits in Mongolian":          "a\u180b\u180c\u180d\u180fb",
	"marks over all lines":       "Z" + strings.Repeat("\u0315\u0488", 50) + "o",
	"joiners and many marks":     "a" + strings.Repeat("\u0301", 8) + "\u200d\u0301\ufe0f",
	"surrogates":                 "a\xed\xa0\x80b",
	"overlong ESC":               "a\xc0\x9b[2Jb",
	"entity ESC":                 "a&#27;[2Jb",
	"entity bidi":                "a&#x202e;gnp.exe",
	"colour":                     "a\x1b[31mred\x1b[0mb",
	"conceal":                    "a\x1b[8mhidden\x1b[0mb",
	"conceal among others":       "a\x1b[1;08;31mhidden\x1b[0mb",
	"conceal after a colour":     "a\x1b[38;5;8;8;48;2;8;8;8mhidden\x1b[0mb",
	"conceal by overflow":        "a\x1b[4294967304mhidden\x1b[0mb",
	"nothing wrong":              "日本 naïve 👩‍👩‍👧‍👦 می‌خواهم\n\tx",
	"cut character":              "a\xe6\x97",
}
