package ui

// newShell is none: there is no way to stop a program and to go on with it.
func newShell(bool) (s *shell, end func()) { return nil, func() {} }
