package netaddr_test

import (
	"net/netip"
	"testing"

	"github.com/aloudchat/aloud/internal/netaddr"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "192.168.0.1": false, "localhost.example.com": false, "127.0.0.1.example.com": false,
		"[::1]": false,
	} {
		if got := netaddr.Loopback(host); got != want {
			t.Errorf("Loopback(%q) is %v", host, got)
		}
	}
}

func TestPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f::1": true, "::ffff:93.184.215.14": true,
		"127.0.0.1": false, "10.0.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false,
		"255.255.255.255": false,
		"224.0.0.1":       false, "::1": false, "fd00::1": false, "fe80::1%eth0": false, "64:ff9b::7f00:1": false,
		"2002:7f00:1::": false, "::7f00:1": false,
	} {
		if got := netaddr.Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("Public(%s) is %v", address, got)
		}
	}
}
