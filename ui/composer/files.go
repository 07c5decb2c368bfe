package composer

import (
	"path"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/provider/attach"
)

// file is the name of a file that completes a mention, also in lower case.
type file struct{ name, lower string }

// mostNear is how many names are compared letter by letter, which takes a few milliseconds.
const mostNear = 5000

// OfferFiles says that files of a folder can be attached. Resources that are the same files are listed only after the
// name of their server.
func (p *Composer) OfferFiles(folder attach.Files) { p.folder = folder }

// AddFiles adds names of files to complete mentions with. first removes the others.
func (p *Composer) AddFiles(names []string, first bool) {
	if first {
		p.files = nil
	}
	for _, name := range names {
		p.files = append(p.files, file{name, strings.ToLower(name)})
	}
	p.refresh(p.beforeCursor())
}

// Word returns the word before the cursor, or all of the draft if that may be a command.
func (p *Composer) Word() string { return p.word }

// Mentions returns what the draft mentions. The caller must not change it.
func (p *Composer) Mentions() []attach.Mention { return p.mentions }

// addFiles lists the files whose paths have the letters of the typed text, those whose names begin with it first. typed
// is in lower case.
func (c *completion) addFiles(typed string) {
	typed = strings.TrimPrefix(strings.TrimPrefix(typed, `"`), "./")
	near := near(c.files, typed)
	found := fuzzy.Find(typed, len(near), func(i int) string { return near[i].name }, nil)
	for _, begins := range []bool{true, false} {
		for _, m := range found {
			name := near[m.Index].name
			if strings.HasPrefix(path.Base(near[m.Index].lower), typed) != begins || len(c.matches) == mostMatches {
				continue
			}
			if strings.ContainsFunc(name, unicode.IsSpace) {
				name, m.At = `"`+name+`"`, nil // the quotes shift the letters
			}
			c.add("@"+name, "", "", m)
		}
	}
}

// near returns the files that have the typed text, and if these do not fill the list, those that have its letters in
// order. Of too many it returns the first, which are at the top of the folder.
func near(files []file, typed string) (near []file) {
	for _, fits := range []func(name, typed string) bool{strings.Contains, hasLetters} {
		near = near[:0]
		for i := 0; i < len(files) && len(near) < mostNear; i++ {
			if fits(files[i].lower, typed) {
				near = append(near, files[i])
			}
		}
		if len(near) >= mostMatches {
			break
		}
	}
	return near
}

// hasLetters reports whether a name has the letters in this order.
func hasLetters(name, letters string) bool {
	for _, letter := range letters {
		_, after, found := strings.Cut(name, string(letter))
		if !found {
			return false
		}
		name = after
	}
	return true
}
