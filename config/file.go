package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// open finds and parses the file. Only the default place may be empty.
func (l *loader) open(path string) (*document, error) {
	asked := path != ""
	if !asked {
		var err error
		if path, err = Path(l.env); err != nil {
			path = "" // no home folder: there is no file either
		}
		variable, _ := l.env("ALOUD_CONFIG")
		asked = variable != ""
	}
	l.config.Path = path
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) && !asked {
		text, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

// read returns the text of the file. The error is an *Error.
func read(path string) ([]byte, error) {
	const most = 1 << 20
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Text: fmt.Sprintf("there is no configuration file %q; make one with: aloud config init", path), Err: err}
	}
	if err != nil {
		return nil, &Error{Text: fmt.Sprintf("the configuration file cannot be opened: %v", err), Err: err}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, &Error{Text: fmt.Sprintf("the configuration file cannot be read: %v", err), Err: err}
	}
	if len(text) > most {
		return nil, &Error{File: path, Text: "the file is larger than 1 MiB, which no configuration is"}
	}
	return text, nil
}
