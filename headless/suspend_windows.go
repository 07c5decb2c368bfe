package headless

// suspendable does nothing: Windows has no job control.
func (o *Options) suspendable() (end func()) { return func() {} }
