package builtin

// nonblocking is 0 because folders on Windows have no pipes.
const nonblocking = 0
