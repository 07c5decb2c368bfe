package builtin

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/aloudchat/aloud/mcpclient/web"
)

// notPublic is the error of a connection that was refused because of where it would have gone.
type notPublic struct{ address string }

func (e notPublic) Error() string {
	return fmt.Sprintf("%s is a private or local address, which fetch does not reach unless allow_private is set for it", e.address)
}

// dialer connects to public addresses only, unless private ones are allowed.
func dialer(o FetchOptions) *net.Dialer {
	return web.NewDialer(o.Resolver, func(_ context.Context, to netip.AddrPort) error {
		if o.AllowPrivate || web.Public(to.Addr()) {
			return nil
		}
		return notPublic{to.String()}
	})
}
