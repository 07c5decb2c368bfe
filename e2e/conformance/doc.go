// Package conformance runs the conformance suite of the Model Context Protocol, which tests clients with its own
// servers, and servers with its own client. Package client plays its scenarios. The tests have the build tag e2e and
// need Node.js and packages from npm.
package conformance
