// Package conformance holds aloud against the conformance suite of the Model Context Protocol, which plays the servers that the specification
// describes, and judges what we make of them. client plays its scenarios; the rest are tests, with the build tag e2e, that need Node.js and
// packages from npm.
package conformance
