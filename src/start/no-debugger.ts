/**
 * Node's debugger asks whoever reaches its port for no password, and runs what they say: it has no place in a process that holds keys. That it is open from the
 * start, `config/live-rules.ts` refuses.
 */

/**
 * Has SIGUSR1 do nothing, by which Node opens it otherwise, on a port of this machine that all its users reach. Other programs open their logs anew for
 * that signal, so that it is sent without an afterthought.
 */
export function ignoreDebugSignal(): void {
  if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
}
