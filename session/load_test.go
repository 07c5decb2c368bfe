package session

import (
	"math"

	"github.com/aloudchat/aloud/provider"
)

// Load reads a session like Export.
func (s *Store) Load(id string) (Info, provider.Conversation, error) {
	id, err := s.find(id)
	if err != nil {
		return Info{}, provider.Conversation{}, err
	}
	h, err := s.read(id, math.MaxInt)
	if err != nil {
		return Info{}, provider.Conversation{}, err
	}
	whole := h.valid()
	info := h.about(id, whole)
	return info, provider.Conversation{}.With(whole...), nil
}
