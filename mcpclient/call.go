package mcpclient

import (
	"encoding/json"
	"errors"
)

// Call is a call of a tool.
type Call struct {
	Tool      string          // the Name of the tool
	Arguments json.RawMessage // an object; nil means an empty one
	Judged    Fingerprint     // the version of the tool for which the call was allowed; "" means any
	Basis     string          // what Preview returned for the change that was approved; "" if it was not shown
}

var (
	// ErrToolChanged means that a call was not made because its tool is no longer the judged one, or is off or gone.
	ErrToolChanged = errors.New("the tool has changed")

	// ErrOutdated means that a call changed nothing because its Basis has changed.
	ErrOutdated = errors.New("the approved change is outdated")
)
