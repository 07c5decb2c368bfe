package stdio

import "golang.org/x/sys/unix"

// awaitExit waits until a child of ours has ended, and does not reap it. Here waitid returns for a process that was only stopped, too.
func awaitExit(pid int) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(queue) }()
	watch := []unix.Kevent_t{{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}}
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(queue, watch, events, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err == nil && n == 1 && events[0].Flags&unix.EV_ERROR != 0:
			err = unix.Errno(events[0].Data)
		}
		if err == unix.ESRCH { // it ended before: only we can reap it
			err = nil
		}
		return err
	}
}
