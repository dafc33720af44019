/** For commands that take settings alone: whoever gives one an argument, to ask for help or to say what they mean, must not find it carried out. */

/**
 * @param what what the command does, and where its settings come from
 * @returns why it does nothing; undefined when it was given no arguments
 */
export function whyNotDone(what: string, given: readonly string[] = process.argv.slice(2)): string | undefined {
  const [first] = given
  return first === undefined ? undefined : `${what} It takes no arguments, such as ${first}: nothing was done.`
}
