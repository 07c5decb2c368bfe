//go:build !darwin && !linux

package stdio

import "errors"

func awaitExit(int) error { return errors.ErrUnsupported }
