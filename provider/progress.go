package provider

import (
	"sync/atomic"

	"github.com/aloudchat/aloud/mcpclient"
)

// progress is the newest word of a running call on how far it is. The call writes it as often as it likes and waits for nobody.
type progress struct {
	last atomic.Pointer[mcpclient.Progress]
}

// note takes a word. The protocol wants the number to grow; one that goes back came late or is a mistake, so the higher one stays.
// Another total begins another count. Only one goroutine may call it at a time.
func (p *progress) note(now mcpclient.Progress) {
	if before := p.last.Load(); before != nil && before.Total == now.Total && before.Done > now.Done {
		now.Done = before.Done
	}
	p.last.Store(&now)
}

// newest is the last word, if there was one.
func (p *progress) newest() (now mcpclient.Progress, ok bool) {
	if last := p.last.Load(); last != nil {
		return *last, true
	}
	return mcpclient.Progress{}, false
}

// part is how much of the whole is done, 0 to 1; 0 when the whole is not known or the numbers make no sense.
func part(p mcpclient.Progress) float64 {
	if done := p.Done / p.Total; p.Total > 0 && done > 0 {
		return min(done, 1)
	}
	return 0
}
