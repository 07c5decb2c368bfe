package inbox

import (
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// mostUnwanted is how many questions of one server may come to nothing within a minute, declined, left or taken back, before its next ones are
// turned away without asking: a server must not keep you from everything else.
const mostUnwanted = 3

// unwanted is what came to nothing of one server's questions.
type unwanted struct {
	times []time.Time // when that was, in the last minute
	last  mcpclient.Action
	told  bool // that the server is turned away
	never bool // you want none of them in this session
}

// turnedAway reports whether a question of the server is not asked, and returns its answer: the one that you gave last. Questions that you
// only left unanswered are not declined.
func (d *Inbox) turnedAway(server string) (a Answer, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.unwanted[server]
	if u == nil {
		return Answer{}, false
	}
	if u.never {
		return Answer{Action: mcpclient.Decline}, true
	}
	for len(u.times) > 0 && time.Since(u.times[0]) >= time.Minute {
		u.times = u.times[1:]
	}
	if len(u.times) < mostUnwanted {
		u.told = false
		return Answer{}, false
	}
	if !u.told {
		u.told = true
		d.note("%s goes on asking after %d of its questions came to nothing: for a minute it is turned away without asking you.", server, mostUnwanted)
	}
	return Answer{Action: u.last}, true
}

// unwant notes that a question came to nothing. d.mu is held.
func (d *Inbox) unwant(server string, a Answer) {
	u := d.unwanted[server]
	if u == nil {
		u = &unwanted{}
		d.unwanted[server] = u
	}
	u.times, u.last = append(u.times, time.Now()), a.Action
	if a.Session && a.Action == mcpclient.Decline {
		u.never = true
		delete(d.allowed, server)
		d.note("Whatever %s asks is declined from now on, until aloud is started again.", server)
	}
}
