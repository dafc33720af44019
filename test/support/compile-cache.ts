/** Where the processes that tests start find what Node made of the same sources before. */
import path from 'node:path'

/**
 * For the environment of a service. It changes a flag of V8 before it loads its modules (src/main.ts), after which what
 * processes without it have kept is refused and written anew, two thousand modules at a time, and the other way round: so services keep theirs apart.
 * @param folder where all others keep theirs; default: that of this process, none when it has none
 */
export function serviceCache(folder: string | undefined = process.env.NODE_COMPILE_CACHE): {
  NODE_COMPILE_CACHE?: string
} {
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.join(folder, 'services') }
}
