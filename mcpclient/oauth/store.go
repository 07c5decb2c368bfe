package oauth

import (
	"context"
	"sync"
)

// Store keeps logins. All methods are safe for concurrent use, by several processes too unless it is in memory.
type Store interface {
	// Load returns nil when nothing is kept under the key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, data []byte) error
	Delete(ctx context.Context, key string) error
	// Lock waits until nobody else holds the key, or ctx's end. What it guards is the renewal of tokens: many are good for one only.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Memory returns a store that ends with the program.
func Memory() Store {
	return &memory{entries: map[string][]byte{}, turn: make(chan struct{}, 1)}
}

type memory struct {
	mu      sync.Mutex
	entries map[string][]byte
	turn    chan struct{}
}

func (m *memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[key], nil
}

func (m *memory) Save(_ context.Context, key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = data
	return nil
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
	return nil
}

func (m *memory) Lock(ctx context.Context, _ string) (func(), error) {
	select {
	case m.turn <- struct{}{}:
		return func() { <-m.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
