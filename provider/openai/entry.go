package openai

import (
	"strconv"
	"strings"
)

// entry is a model in a server's list, with the fields that servers add to the standard.
type entry struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Type    string `json:"type"` // "embeddings"; Together. "vlm": LM Studio

	MaxModelLen      count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    count `json:"context_length"`        // OpenRouter, Together
	ContextWindow    count `json:"context_window"`        // Groq
	MaxContextLength count `json:"max_context_length"`    // Mistral
	LoadedContext    count `json:"loaded_context_length"` // LM Studio
	Meta             struct {
		Size count `json:"size"`
	} `json:"meta"` // llama.cpp
}

// count is a number, or 0 for any other or implausible value.
type count int

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (n *count) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > 0 && f < 1<<52 {
		*n = count(f)
	}
	return nil
}

// context returns the smallest context in the entry, 0 if it has none.
func (e *entry) context() int {
	least := 0
	for _, n := range []count{e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats reports whether a model can chat, unlike embedding models.
func (e *entry) chats() bool {
	return e.Type != "embeddings" && e.Type != "embedding" && !strings.Contains(strings.ToLower(e.ID), "embed")
}
