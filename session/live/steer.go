package live

import "github.com/aloudchat/aloud/provider"

// Steer adds a message that goes with the next request of the running turn, after the results of its tools. It may be
// called at any time.
func (c *Chat) Steer(m provider.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steered = append(c.steered, m)
}

// Steered returns the messages of Steer that were not sent. It may be called at any time.
func (c *Chat) Steered() []provider.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steered
}

// Unsteer takes back the messages of Steer that were not sent, and returns them. It may be called at any time, and must
// be called after a turn, which may end without another request.
func (c *Chat) Unsteer() []provider.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.steered
	c.steered = nil
	return left
}
