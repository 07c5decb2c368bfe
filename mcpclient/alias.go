package mcpclient

import "github.com/aloudchat/aloud/mcpclient/login"

// What a Set is given and gives, under the names that whoever has a Set meets every day. The packages that have them say more.
type (
	// Browser shows a person the page where they log in.
	Browser = login.Browser
)
