package provider

import (
	"cmp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/status"
)

// titleOf is how a tool is called on the screen: by its title, and by its server, too, where another server has one of the same title.
// named is the name by which the model called, for a tool that does not exist.
func (t *turn) titleOf(tool mcpclient.Tool, named string) string {
	title := ownTitle(tool, named)
	if tool.Server == "" {
		return title
	}
	if t.titles == nil {
		t.titles = sharedTitles(t.tools)
	}
	if t.titles[title] {
		return status.TitleOn(title, tool.Server)
	}
	return title
}

func ownTitle(tool mcpclient.Tool, named string) string {
	return status.Title(tool.Title, cmp.Or(tool.ServerTool, named))
}

// sharedTitles tells the titles that tools of several servers have.
func sharedTitles(tools []mcpclient.Tool) map[string]bool {
	shared := map[string]bool{}
	server := map[string]string{}
	for _, tool := range tools {
		title := ownTitle(tool, tool.Name)
		if first, known := server[title]; known && first != tool.Server {
			shared[title] = true
		}
		server[title] = tool.Server
	}
	return shared
}
