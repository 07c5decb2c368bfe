package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/ui"
)

// TestTemplateHasKeys checks that the file of "aloud config init" has every action with its default keys.
func TestTemplateHasKeys(t *testing.T) {
	actions := ui.Bind(nil, nil)
	for name, keys := range actions {
		value := fmt.Sprintf("%q", keys[0])
		if len(keys) > 1 {
			value = `["` + strings.Join(keys, `", "`) + `"]`
		}
		if want := "\n#" + name + " = " + value + "\n"; !strings.Contains(config.Template, want) {
			t.Errorf("template.toml does not have the line %s", want)
		}
	}
}
