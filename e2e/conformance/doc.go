// Package conformance holds aloud against the conformance suite of the Model Context Protocol, which plays the servers that the specification
// describes, and judges what we make of them. Nothing is here but tests, with the build tag e2e: they take Node.js and packages from npm.
package conformance
