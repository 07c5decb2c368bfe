// Package conformance runs the conformance suite of the Model Context Protocol, which plays servers and judges
// clients, and the reverse. Package client plays its scenarios. The tests have the build tag e2e and need Node.js and
// packages from npm.
package conformance
