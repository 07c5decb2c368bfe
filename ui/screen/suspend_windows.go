package screen

// Alone returns true: no shell continues a program.
func Alone() bool { return true }

// NewShell returns nil: Windows has no job control.
func NewShell(bool) (s *Shell, end func()) { return nil, func() {} }
