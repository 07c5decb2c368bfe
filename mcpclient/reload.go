package mcpclient

import (
	"context"
	"reflect"
)

// Change is what Reload made of a server.
type Change struct {
	Server string
	What   string // "added", "removed", "restarted", "switched on" or "switched off"
}

// Reload makes the set one of these servers: it adds, removes, and starts again those whose configuration differs. All others go on as they
// are, also those that you have switched off. It returns at once, as Start does; ctx bounds the starting.
//
// Local and Login are the same only when they are identical: who reads a configuration again gives those of a server that has not changed as
// they were.
func (s *Set) Reload(ctx context.Context, servers []Server) []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	var changes []Change
	before := s.peers
	kept := map[*peer]bool{}
	s.peers = nil
	for _, config := range servers {
		p := newPeer(config)
		old := byName(before, config.Name)
		switch {
		case old == nil:
			changes = append(changes, Change{config.Name, "added"})
		case same(old.config, p.config):
			kept[old] = true
			s.peers = append(s.peers, old)
			continue
		default:
			if what := difference(old, p); what != "" {
				changes = append(changes, Change{config.Name, what})
			}
			s.retireLocked(old, "was restarted")
			p.ended = old.ended
		}
		s.peers = append(s.peers, p)
		s.enterLocked(ctx, p)
	}
	for _, old := range before {
		if !kept[old] && old.gone == "" {
			s.retireLocked(old, "was removed from the configuration")
			changes = append(changes, Change{old.config.Name, "removed"})
		}
	}
	s.arrangeLocked()
	s.announceLocked()
	return changes
}

// retireLocked ends a server that is no part of the set any more. s.mu is held.
func (s *Set) retireLocked(p *peer, why string) {
	s.endLocked(p, why)
	p.gone = why
}

// arrangeLocked brings the board into the order of the set. s.mu is held.
func (s *Set) arrangeLocked() {
	var names []string
	for _, p := range s.peers {
		names = append(names, p.config.Name)
	}
	s.board.Arrange(names)
}

// difference says what becomes of a server whose configuration has changed, "" when nothing that is seen.
func difference(old, now *peer) string {
	switch {
	case old.off && now.off:
		return ""
	case now.off:
		return "switched off"
	case old.off:
		return "switched on"
	}
	return "restarted"
}

// same reports whether two configurations mean the same server.
func same(a, b Server) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !alike(x.Field(i), y.Field(i)) {
			return false
		}
	}
	return true
}

// alike compares two values of a field. What has a life of its own is not looked into.
func alike(a, b reflect.Value) bool {
	if err, ok := reflect.TypeAssert[error](a); ok && !b.IsNil() {
		return err.Error() == b.Interface().(error).Error()
	}
	switch a.Kind() {
	case reflect.Func:
		return a.IsNil() == b.IsNil() // it comes with what it is a function of
	case reflect.Pointer, reflect.Interface:
		return a.Comparable() && b.Comparable() && a.Equal(b)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
