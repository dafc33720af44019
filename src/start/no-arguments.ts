/** For commands that take settings alone: whoever asks one for help, or names what they mean, must not find it done. */

/**
 * @param what what the command does, and where its settings come from
 * @returns why it does nothing; undefined when it was given no arguments
 */
export function whyNotDone(what: string, given: readonly string[] = process.argv.slice(2)): string | undefined {
  const [first] = given
  return first === undefined ? undefined : `${what} It takes no arguments, such as ${first}: nothing was done.`
}
