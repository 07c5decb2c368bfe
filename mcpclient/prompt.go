package mcpclient

// Prompt is a prompt of a server.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument // not to be changed
}

// PromptArgument is an argument of a Prompt. Its value is text.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// PromptMessage is one message of a prompt. Its text is not sanitized.
type PromptMessage struct {
	Role   string // "user" or "assistant"
	Text   string
	Images [][]byte
	Other  []string // descriptions of other content: "audio/ogg, 12 kB"
}
