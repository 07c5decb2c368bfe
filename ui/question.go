package ui

import (
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
)

// question is what a person asks, on its way to the model. After each step it may have to wait in line, with what is there by then.
type question struct {
	input    attach.Input       // as it was written; when nothing comes of it, it is put back into the composer
	call     *attach.Call       // of the prompt that it asks for, when all its arguments are known; nil: none
	messages []provider.Message // that it has become; nil: not yet
	notes    []string           // what of it the model does not get
}

// begun tells whether a step has been taken: others wait behind it.
func (q question) begun() bool { return q.call != nil || q.messages != nil }
