package headless

import "github.com/aloudchat/aloud/status"

// likely is how a line without a clock says how long a step is going to take: its words, a duration.
var likely = map[status.Language]string{
	status.English:  "%s, about %s",
	status.Chinese:  "%s，约 %s",
	status.Spanish:  "%s, unos %s",
	status.German:   "%s, etwa %s",
	status.Japanese: "%s、約 %s",
}

func about(in status.Language) string {
	if format, known := likely[in]; known {
		return format
	}
	return likely[status.English]
}
