package atomicfile

import "fmt"

// NewerError is the reason why a file is neither read nor replaced: it has a format version that this aloud does not
// know.
type NewerError struct{ Version, Known int }

// Error returns a sentence, without the name of the file, that says what to do.
func (e *NewerError) Error() string {
	const text = "the file was written by a newer version of aloud (format %d, this one reads %d). Update aloud to use it"
	return fmt.Sprintf(text, e.Version, e.Known)
}
