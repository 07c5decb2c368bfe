package ui

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// paste inserts a pasted text into the draft. The names of image files become the images.
func paste(prompt *composer.Composer, text string) tea.Cmd {
	files := screen.DroppedImages(text)
	if files == nil {
		prompt.Paste(text)
		return nil
	}
	return screen.Go(func(_ context.Context, send func(tea.Msg)) {
		images, err := attach.ReadImages(files)
		if err != nil {
			send(composer.Change(func(p *composer.Composer) { p.Paste(text) }))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			send(attached(images, err))
		}
	})
}

// pasteImage inserts the image in the clipboard into the draft.
func pasteImage() tea.Cmd {
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		data, err := screen.ClipboardImage(ctx)
		if err != nil {
			send(screen.Flash{Text: err.Error()})
			return
		}
		image, err := attach.NewImage("clipboard", bytes.NewReader(data))
		send(attached([]attach.Image{image}, err))
	})
}

// attached returns a message that inserts images into the draft, or says why not.
func attached(images []attach.Image, err error) tea.Msg {
	if err != nil {
		return screen.Flash{Text: err.Error()}
	}
	return composer.Change(func(p *composer.Composer) { p.Attach(images) })
}

// refused says why a question was not sent. If the model cannot see its images, it lists the models.
func refused(err error, t *transcript.Transcript) tea.Cmd {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	t.Notice(transcript.Warn, dialog.Sentence(err))
	if _, ok := errors.AsType[attach.BlindError](err); ok {
		return screen.Reply(dialog.ListModels{})
	}
	return nil
}
