package oauthtest

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Names returns a resolver for the given names. Each lookup returns the next address of a name, then always the last.
func Names(t testing.TB, given map[string][]string) *net.Resolver {
	asked := map[string]*atomic.Int32{}
	for name := range given {
		asked[name] = new(atomic.Int32)
	}
	answer := func(question []byte) []byte {
		var m dnsmessage.Message
		if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
			t.Errorf("a question that is none: %v", err)
			return nil
		}
		q := m.Questions[0]
		name := strings.TrimSuffix(q.Name.String(), ".")
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		addresses := given[name]
		if len(addresses) == 0 {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			n := min(int(asked[name].Add(1)), len(addresses))
			ip := netip.MustParseAddr(addresses[n-1])
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: ip.As4()},
			}}
		}
		packed, err := m.Pack()
		if err != nil {
			t.Error(err)
		}
		return packed
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() { // until the resolver closes its end
			defer there.Close()
			for {
				var size [2]byte // the resolver treats a pipe like TCP: the length comes first
				if _, err := io.ReadFull(there, size[:]); err != nil {
					return
				}
				question := make([]byte, int(size[0])<<8|int(size[1]))
				if _, err := io.ReadFull(there, question); err != nil {
					return
				}
				reply := answer(question)
				if _, err := there.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...)); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}
