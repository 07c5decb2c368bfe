package markdown

// Dark returns a style in colours.
func Dark() Style {
	return Style{
		Heading: "#7fd1d8", Code: "#dcc98f", Link: "#8fb8f5", Quote: "#a3a9b1", Mark: "#7fd1d8", Rule: "#50555e",
		Keyword: "#c7a0e8", Type: "#7fd1d8", Function: "#8fb8f5", String: "#9fce97", Number: "#e6c85c", Comment: "#7c828b",
		Added: "#8cc98f", Removed: "#ee8580",
	}
}
