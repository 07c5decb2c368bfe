package session

import "github.com/aloudchat/aloud/provider"

// Load is Read without the turns.
func (s *Store) Load(id string) (Info, provider.Conversation, error) {
	info, conv, _, err := s.Read(id)
	return info, conv, err
}
