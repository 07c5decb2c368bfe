package ui

import (
	"cmp"
	"errors"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/transcript"
)

// farewell is what the transcript says when a turn has ended: why, if it was stopped, how to go on, and the receipt.
func farewell(ev provider.Ended, language status.Language) []noticeMsg {
	const goOn = "ctrl+g goes on"
	var out []noticeMsg
	stop := ev.Result.Stop
	switch stop.Reason {
	case provider.Iterations, provider.Errors, provider.Time, provider.InvalidTool:
		out = append(out, noticeMsg{transcript.Info, goOn + " with fresh limits."}) // the turn itself has told which limit
	case provider.GaveUp:
		out = append(out, noticeMsg{transcript.Info, sentence(errors.New(cmp.Or(stop.Detail, "the model says that it cannot do this")))})
	case provider.Denied:
		out = append(out, noticeMsg{transcript.Info, "Stopped, because the call was refused. " + goOn + "."})
	case provider.Cancelled:
		out = append(out, noticeMsg{transcript.Info, "Stopped. What is there stays; " + goOn + ", /retry asks again."})
	case provider.Failed:
		err := ev.Err
		if err == nil {
			err = &provider.Error{Text: cmp.Or(stop.Detail, "the turn failed")}
		}
		out = append(out, noticeMsg{transcript.Error, sentence(err) + " ctrl+g goes on, /retry asks again."})
	}
	if receipt := transcript.ReceiptOf(ev.Result, language); receipt != "" {
		out = append(out, noticeMsg{transcript.Receipt, receipt})
	}
	return out
}
