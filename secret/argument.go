package secret

import "strings"

// OfValue are what must be masked of a value: all of it when it may be secret, and the parts of it that [Of] names. name is what it is called.
func OfValue(name, value string) []string {
	all := ofParts(value)
	if MayBe(name, value) {
		all = append(all, value)
	}
	return all
}

// OfWord is narrower than [OfValue], for what rarely is secret, such as arguments and variables that are passed on: without a name that speaks of
// secrets a value must show itself.
func OfWord(name, value string) []string {
	if Tells(name) {
		return OfValue(name, value)
	}
	return ofParts(value)
}

// ofParts are what [Of] names, and what a query of an address calls a secret, whatever it looks like.
func ofParts(text string) []string {
	all := Of(text)
	for _, p := range pieces(text) {
		written := text[p.start:p.end]
		if p.kind != query || !Tells(p.name) || !MayBe(p.name, written) || isVariable(written) {
			continue
		}
		all = append(all, written)
		if meant := p.meant(written); len(meant) >= shortest {
			all = append(all, meant)
		}
	}
	return all
}

// OfHeader are what must be masked of the value of a header: all of them may let somebody in. It is masked without the scheme in front of it, too.
func OfHeader(value string) []string {
	all := OfValue("header", value)
	if token := behindScheme(value); token != "" {
		all = append(all, OfValue("header", token)...)
	}
	return all
}

func behindScheme(value string) (token string) {
	if scheme, token, ok := strings.Cut(value, " "); ok && scheme != "" {
		return token
	}
	return ""
}

// mayHaveScheme tells whether the first word of name=value may say how the others are meant. In --author=… it is only a word.
func mayHaveScheme(name, value string) bool {
	first, _, _ := strings.Cut(strings.ToLower(value), " ")
	return TellsClearly(name) || has(name, []string{"header"}) || first == "bearer" || first == "basic"
}

// OfArguments are what must be masked of a command line: it knows --token=…, TOKEN=…, --token …, "Authorization: …", and what shows itself.
// What stands behind a flag is its value also when there is a sign in it: many tokens end with one.
func OfArguments(args []string) (all []string) {
	flag := "" // of which this may be the value
	for _, arg := range args {
		name, value, sign := Argument(arg)
		if sign != "" {
			all = append(all, OfWord(name, value)...)
			if sign != "=" || mayHaveScheme(name, value) {
				all = append(all, OfWord(name, behindScheme(value))...)
			}
		}
		isFlag := strings.HasPrefix(arg, "-")
		if sign == "" || !isFlag || strings.Contains(arg, " ") { // several words may be a command with a variable in front, or a header
			all = append(all, OfWord(flag, arg)...)
		}
		flag = ""
		if sign == "" && isFlag {
			flag = arg
		}
	}
	return all
}

// Argument parts an argument that has a name and a value in one word, and tells the sign between them: "=", ": " or ":"; "" when it has none. Headers
// that are written without a space, which some programs want, are told by what they are called: images and ports look the same otherwise.
func Argument(arg string) (name, value, sign string) {
	for _, sign := range []string{"=", ": ", ":"} {
		name, value, ok := strings.Cut(arg, sign)
		if ok && name != "" && !strings.ContainsAny(name, " /:@?{\"'") && (sign != ":" || TellsClearly(name)) {
			return name, value, sign
		}
	}
	return "", "", ""
}
