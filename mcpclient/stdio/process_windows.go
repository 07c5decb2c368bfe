package stdio

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object. Windows ends its processes when the last handle is closed, so also when aloud is killed.
type tree struct{ job windows.Handle }

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// grow adds a process that was just started to a new job, which its descendants inherit.
func grow(p *os.Process, _ string) (tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return tree{}, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, p.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return tree{}, err
	}
	return tree{job}, nil
}

func assign(job windows.Handle, pid int) error {
	const rights = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.SYNCHRONIZE
	process, err := windows.OpenProcess(rights, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	err = windows.AssignProcessToJobObject(job, process)
	if state, _ := windows.WaitForSingleObject(process, 0); state == windows.WAIT_OBJECT_0 {
		return nil // it has exited, and its exit status says more
	}
	return err
}

func (t tree) release() { _ = windows.CloseHandle(t.job) }

// terminate kills, because Windows cannot ask a process without a window or our console to exit.
func (t tree) terminate() { t.kill() }

func (t tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }
