package config

// nonblocking is for Unix: on Windows pipes are not in folders.
const nonblocking = 0
