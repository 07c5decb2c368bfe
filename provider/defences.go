package provider

// defence is one of the things a turn does for models that get it wrong. All are always on; the tests switch each off to see what it is worth.
type defence uint

// The defences, in the order in which a reply meets them.
const (
	fitWindow    defence = 1 << iota // the context grows with the work, within the model's means
	slimTools                        // schemas are shortened when they would not fit otherwise
	compacting                       // older turns are summarised when the context is nearly full
	splitTags                        // thinking written into the text is told apart from it
	readPrinted                      // calls printed as text are calls
	endThinking                      // a model that only thinks is asked to answer
	retrying                         // replies that broke off or could not be read are asked for again
	mapNames                         // names that differ in case and separators only are understood
	tellNames                        // a call of an unknown tool is answered with the nearest names
	mendCalls                        // arguments are validated, and mended where the schema says how
	watchRepeats                     // a call that gives the same result again is told so, and is made three times at most
	trimResults                      // results are cut to what is left of the context
	fillEmpty                        // an empty answer is asked for again, without tools
	wrappingUp                       // a turn that a limit ended answers from what is there
	defences     = iota
)

// defends tells whether a defence is on.
func (c *Chat) defends(d defence) bool { return c.without&d == 0 }
