package cli_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// gallery is the program gallery of the scripts: an MCP server with resources of every kind, and a prompt with some of
// them.
func gallery() {
	s := server.NewMCPServer("gallery", "1", server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false))
	for name, kind := range map[string]string{"picture.png": "image/png", "song.ogg": "audio/ogg",
		"all.zip": "application/zip"} {
		blob := exhibit(name, kind)
		s.AddResource(mcp.NewResource(blob.URI, name), func(context.Context,
			mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{blob}, nil
		})
	}
	s.AddResource(mcp.NewResource("art:///both", "both"), func(context.Context,
		mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "art:///label", Text: "Mona Lisa\x1b[31m"},
			exhibit("picture.png", "image/png")}, nil
	})
	s.AddResource(mcp.NewResource("art:///catalogue", "catalogue"),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: "art:///catalogue",
				Text: strings.Repeat("a page of it. ", 100_000)}}, nil
		})
	s.AddResourceTemplate(mcp.NewResourceTemplate("art:///room/{number}", "room"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "the room " + r.Params.URI}}, nil
		})
	s.AddPrompt(mcp.NewPrompt("tour", mcp.WithArgument("guide", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			picture, song := exhibit("picture.png", "image/png"), exhibit("song.ogg", "audio/ogg")
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("I am "+r.Params.Arguments["guide"])),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewImageContent(picture.Blob, picture.MIMEType)),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewAudioContent(song.Blob, song.MIMEType)),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewEmbeddedResource(picture)),
				mcp.NewPromptMessage(mcp.RoleAssistant, mcp.NewTextContent("Welcome.")),
				mcp.NewPromptMessage(mcp.RoleUser,
					mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "art:///label", Text: "Mona Lisa"})),
			}), nil
		})
	if err := server.ServeStdio(s); err != nil {
		fmt.Println(err)
	}
}

// exhibit is a resource of a few bytes.
func exhibit(name, kind string) mcp.BlobResourceContents {
	return mcp.BlobResourceContents{URI: "art:///" + name, MIMEType: kind,
		Blob: base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + name))}
}
