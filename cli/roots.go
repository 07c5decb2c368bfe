package cli

import (
	"slices"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
)

// rootsOf are the folders that servers are told of: those of --root, else the current one.
func rootsOf(folders []string) ([]mcpclient.Root, error) {
	var roots []mcpclient.Root
	for _, folder := range folders {
		root, err := mcpclient.RootOf(folder)
		if err != nil {
			return nil, usageError{err.Error(), "write it like: --root ~/project"}
		}
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if len(folders) > 0 {
		return roots, nil
	}
	if here, err := mcpclient.RootOf("."); err == nil { // else it was removed meanwhile, and servers are told of none
		roots = append(roots, here)
	}
	return roots, nil
}

// samplingModes is how each server's wishes for the model are decided about.
func samplingModes(cfg *config.Config) map[string]string {
	modes := map[string]string{}
	for _, s := range cfg.Servers {
		modes[s.Name] = s.Sampling
	}
	return modes
}
