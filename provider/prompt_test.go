package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// long returns a text of about n tokens.
func long(n int) string { return strings.Repeat("word on ", n*7/16) }

// attached returns a conversation with two attachments, each with an image, an image beside them, and one of a
// tool.
func attached() []provider.Message {
	return []provider.Message{
		{Role: provider.RoleUser, Text: long(100), Images: [][]byte{{0}, {1}, {2}}, Attached: []provider.Attachment{
			{Server: "files", URI: "a", Text: long(1000), Images: 1}, {Server: "files", URI: "b", Text: long(2000), Images: 1},
		}},
		{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: "1", Name: "x"}}},
		{Role: provider.RoleTool, CallID: "1", Text: long(500), Images: [][]byte{{3}}},
		{Role: provider.RoleAssistant, Text: long(50)},
	}
}

func leftOut(message int, name string) provider.Message {
	span := &provider.Span{From: message, Until: message + 1}
	return provider.Message{Role: provider.RoleSummary, Covers: span, Drops: name}
}

func TestPromptHasPartsOfConversation(t *testing.T) {
	const image = provider.ImageTokens
	summary := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{From: 0, Until: 4}, Text: "Short."}
	bare := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{From: 0, Until: 4}}
	undo := provider.Message{Role: provider.RoleSummary, Covers: &provider.Span{}}
	for _, test := range []struct {
		name                          string
		more                          []provider.Message
		messages, results, att, image int // about
		note                          string
	}{
		{"everything", nil, 170, 500, 3060 + 2*image, 2 * image, ""},
		{"one attachment is left out", []provider.Message{leftOut(0, "@files:a")}, 200, 500, 2030 + image, 2 * image, ""},
		{"both are left out", []provider.Message{leftOut(0, "@files:b"), leftOut(0, "@files:a")}, 250, 500, 0, 2 * image, ""},
		{"an unknown one is left out", []provider.Message{leftOut(0, "@files:c"), leftOut(9, "@files:a")},
			170, 500, 3060 + 2*image, 2 * image, ""},
		{"what is left out stays out", []provider.Message{leftOut(0, "@files:a"), bare, undo},
			200, 500, 2030 + image, 2 * image, ""},
		{"results are left out", []provider.Message{bare}, 170, 30, 3060 + 2*image, image, "1 left out to make room"},
		{"all is summarised", []provider.Message{summary}, 40, 0, 0, 0, "4 summarised"},
	} {
		p := provider.PromptOf(provider.Message{Role: provider.RoleSystem, Text: "Hi."}, slices.Concat(attached(), test.more))
		for kind, want := range map[provider.PromptKind]int{provider.PromptMessages: test.messages,
			provider.PromptResults: test.results, provider.PromptAttachments: test.att, provider.PromptImages: test.image} {
			if n := p[kind].Tokens; n < want*9/10-20 || n > want*11/10+20 {
				t.Errorf("%s: %d tokens of %s, want about %d", test.name, n, p[kind].Name, want)
			}
		}
		if got := p[provider.PromptMessages].Note + p[provider.PromptResults].Note; got != test.note {
			t.Errorf("%s: the notes are %q, want %q", test.name, got, test.note)
		}
	}
}

func TestModelReadsNoLeftOutAttachment(t *testing.T) {
	all := append(attached(), leftOut(0, "@files:a"))
	m := provider.ViewOf(provider.Message{}, all).Sent[0]
	if len(m.Images) != 2 || m.Images[0][0] != 0 || m.Images[1][0] != 2 {
		t.Errorf("the model sees the images %v", m.Images)
	}
	words := func(text string) int { return strings.Count(text, "word on") }
	if got, want := words(m.Text), words(long(100))+words(long(2000)); got != want {
		t.Errorf("the model reads %d words, not %d", got, want)
	}
	if !strings.Contains(m.Text, "Attached: @files:a") || !strings.Contains(m.Text, "(left out to make room)") {
		t.Errorf("the model does not read what is left out: %.300s", m.Text)
	}
	if first := all[0].Attached[0]; first.Images != 1 || len(first.Text) < 1000 {
		t.Error("the conversation has changed")
	}
}
