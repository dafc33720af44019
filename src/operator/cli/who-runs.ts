/** Who runs a command on the machine itself, and where, as far as the machine knows. */
import { hostname, userInfo } from 'node:os'

/** @returns `user@machine`; `uid N@machine` where the user has no name, as in a container that runs under any number */
export function whoRuns(nameOf: () => string = () => userInfo().username): string {
  return `${userName(nameOf)}@${hostname()}`
}

function userName(nameOf: () => string): string {
  try {
    return nameOf()
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
