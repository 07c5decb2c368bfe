package status

// Motion says how much of the line may move by itself.
type Motion string

// The motions, as the configuration names them. "" is MotionFull.
const (
	MotionFull    Motion = "full"    // a spinner, and clocks that run
	MotionReduced Motion = "reduced" // no spinner; the clocks run once a second
	MotionNone    Motion = "none"    // the line only changes when something happens: Drawing.Still
)
