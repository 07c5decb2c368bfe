// Package secret knows what is secret, and hides it. Everything that asks so asks here: the configuration, the takeover of other programs' files,
// what servers say, and the log.
//
// There are three questions, and they are answered apart, because being wrong costs something else each time:
//   - Must this value be masked wherever it would be shown? [MayBe] says yes rather than no: a masked harmless word costs little.
//   - Should a person put this value into a variable? [Looks] says no rather than yes: a needless question costs a person's time.
//   - Which parts of a text that anybody wrote are secret? [Mask] hides them for a log, [In] names them for whoever moves them,
//     and [Of] for whoever gives them to somebody who may repeat them.
//
// The answers agree: what should be in a variable is masked, too, wherever it stands. Only a log shows what merely looks as if chance wrote it, which
// mostly is an id there.
//
// Read name.go (what names say), shape.go (what values look like), address.go, argument.go (values, headers and command lines), text.go (the
// questions, put to a whole text) and hide.go (values that are known to be secret).
package secret

import "strings"

// Mark stands where a secret was.
const Mark = "•••"

// shortest is how long a value must be to be masked or moved: masking a shorter one would rather destroy text than protect anything.
const shortest = 6

// MayBe tells whether a value must be masked wherever it would be shown. It must not when masking it everywhere would rather destroy text than
// protect anything: when it is very short, or when its name does not speak of secrets and it is a plain word, a path or an address. Whatever [Looks]
// like a secret may be one.
func MayBe(name, value string) bool {
	return len(value) >= shortest && (Tells(name) || !plain(value)) || Looks(name, value)
}

// Looks tells whether a value that somebody wrote in the open should rather be in a variable. It is narrower than [MayBe]. name is what the value
// is called, "" when nothing is known.
func Looks(name, value string) bool {
	switch {
	case len(value) < shortest || strings.Contains(value, "${"):
		return false
	case tokenLike(value) || In(value) != nil:
		return true
	}
	return called(name, value)
}

// called tells whether a value must be secret because of what it is called, and is not what else such names are given.
func called(name, value string) bool {
	switch {
	case len(value) < shortest || !Tells(name) || pathLike(value) || plainAddress(value):
		return false
	case TellsClearly(name):
		const longNumber = 9
		return !onlyDigits(value) || len(value) > longNumber // "max_tokens = 100000" is none
	}
	return strings.Trim(strings.ToLower(value), letters+"_- ") != ""
}
