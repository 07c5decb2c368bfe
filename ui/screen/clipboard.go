package screen

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// imageTools write the image in the clipboard to standard output, as PNG. AppleScript has it in hexadecimal digits.
var imageTools = [][]string{
	{"wl-paste", "--type", "image/png"},
	{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"},
	{"sh", "-c", "osascript -e 'the clipboard as «class PNGf»' | tr -cd 0-9A-F | xxd -r -p"},
	{"powershell.exe", "-NoProfile", "-STA", "-Command", `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$data = New-Object IO.MemoryStream
[Windows.Forms.Clipboard]::GetImage().Save($data, [Drawing.Imaging.ImageFormat]::Png)
$data.WriteTo([Console]::OpenStandardOutput())`},
}

// ClipboardImage returns the image in the clipboard as PNG.
func ClipboardImage(ctx context.Context) ([]byte, error) {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, tool := range imageTools {
		cmd := exec.CommandContext(ctx, tool[0], tool[1:]...)
		cmd.WaitDelay = timeout / 50 // children of the shell may have its output open
		if data, err := cmd.Output(); err == nil && bytes.HasPrefix(data, []byte("\x89PNG")) {
			return data, nil
		}
	}
	if runtime.GOOS == "linux" && installed("wl-paste", "xclip", "powershell.exe") == nil {
		return nil, errors.New("to paste images, install wl-clipboard or xclip")
	}
	return nil, errors.New("no image in the clipboard")
}
