package status

// log records a state with new words. The model's sentence and the words of servers are left out.
func (o *Observer) log(s State) {
	s.Quote, s.Done, s.Note = "", "", ""
	if words := s.Words(); o.Log != nil && words != o.logged {
		o.logged = words
		o.Log.Debug("status", "phase", string(s.Phase), "text", words)
	}
}
