package others

// nonblocking is nothing on Windows: there named pipes are no files.
const nonblocking = 0

// notAFolder has no meaning on Windows, where such a path does not exist.
func notAFolder(error) bool { return false }
