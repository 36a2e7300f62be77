func.func private @a()
// CUT
func.func private @b()
