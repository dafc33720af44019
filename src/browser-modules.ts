/** TypeScript modules as browsers load them: Node takes the types out, and nothing else is built. */
import { stripTypeScriptTypes } from 'node:module'

/**
 * The module without its types, line for line. Node says of this function that it is experimental, once, on standard error;
 * operators cannot do anything about it.
 */
export function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
