package mcpclient

import (
	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/offer"
)

// The names of what a Set is given and gives, for those who have a Set: the packages behind them say more, and are not needed to use one.

type (
	// Tool is what a server offers to the model, Prompt and Resource what it offers to a person.
	Tool           = offer.Tool
	Prompt         = offer.Prompt
	PromptArgument = offer.PromptArgument
	Resource       = offer.Resource
)

type (
	// Result is what a call gave, in the form the model reads.
	Result = content.Result
	// PromptMessage is one message of a prompt.
	PromptMessage = content.Message
	// Contents is what a resource holds.
	Contents = content.Resource
)

// Browser shows a person the page where they log in.
type Browser = login.Browser

type (
	// Host answers what servers ask: Elicitation and Sampling are the questions, Elicited and Sampled the answers.
	Host          = asked.Host
	Elicitation   = asked.Elicitation
	Elicited      = asked.Elicited
	Action        = asked.Action
	Sampling      = asked.Sampling
	SampleMessage = asked.SampleMessage
	Sampled       = asked.Sampled
	// Root is a folder that servers may work in, as far as they care.
	Root = asked.Root
)

// What a person makes of an Elicitation.
const (
	Accept  = asked.Accept
	Decline = asked.Decline // said no
	Cancel  = asked.Cancel  // said nothing
)

// RootOf is the root of a folder, which has to be there. The error is one sentence.
func RootOf(folder string) (Root, error) { return asked.RootOf(folder) }
