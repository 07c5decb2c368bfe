package screen

import (
	"bytes"
	"context"
	"os/exec"
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

// ClipboardImage returns the image in the clipboard as PNG, or nil if there is none, or no program that reads it.
func ClipboardImage(ctx context.Context) []byte {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, tool := range imageTools {
		data, err := exec.CommandContext(ctx, tool[0], tool[1:]...).Output()
		if err == nil && bytes.HasPrefix(data, []byte("\x89PNG")) {
			return data
		}
	}
	return nil
}
