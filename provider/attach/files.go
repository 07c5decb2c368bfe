package attach

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Files is the working folder, a builtin.Folder, which describes the methods.
type Files interface {
	Names(ctx context.Context, hidden bool) iter.Seq[string]
	Has(uri string) bool
	Locate(name string) (real, why string, ok bool)
	Read(ctx context.Context, real string, from, until int) (text string, image []byte, err error)
}

// file is a file or folder that a message mentions, or lines of a file.
type file struct {
	name, lines string // as they are attached: "main.go", ":10-40"
	real, why   string // see Files
	from, until int
}

// Unasked is the error for a file that is attached only if you agree.
type Unasked struct {
	Path string // with links resolved
	Why  string // "usually holds secrets"
}

func (e *Unasked) Error() string {
	return fmt.Sprintf("%q %s, and you cannot be asked here. Attach it in the full screen, or send it to standard input",
		sanitize.Line(e.Path), e.Why)
}

// lineRange matches the lines in "main.go:10-40" or "main.go:10".
var lineRange = sanitize.Pattern(`^(.+):([1-9][0-9]{0,8})(?:-([0-9]{1,9}))?$`)

// file returns the file that is mentioned. Punctuation after its name is ignored.
func (r Reader) file(m Mention) (f file, ok bool) {
	if r.Files == nil {
		return f, false
	}
	word := strings.TrimPrefix(m.Server+":"+m.Resource, ":")
	bare := strings.TrimRight(word, endings)
	if bare == "" { // "@..."
		return f, false
	}
	meant := []file{{name: word}, {name: bare}}
	if part := lineRange().FindStringSubmatch(bare); part != nil {
		from, _ := strconv.Atoi(part[2])
		until, _ := strconv.Atoi(part[3])
		meant = append(meant, file{name: part[1], lines: bare[len(part[1]):], from: from, until: max(from, until)})
	}
	for _, f := range meant {
		if f.real, f.why, ok = r.Files.Locate(f.name); ok {
			if f.why != "" {
				f.name = f.real
			}
			return f, true
		}
	}
	return f, false
}

// Measure returns a message with the files that a draft mentions. Those that you will be asked for are not read: they
// have no text. The error says why the files cannot be attached.
func (r Reader) Measure(ctx context.Context, mentions []Mention) (provider.Message, error) {
	r.Source, r.measures = nil, true
	m, _, err := r.attach(ctx, provider.Message{}, mentions)
	return m, err
}
