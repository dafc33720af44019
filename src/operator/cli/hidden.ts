/** What must not stand in a command line, where every user of the machine and its shell history could read it. */
import { readFileSync } from 'node:fs'
import { CliError } from './errors.ts'

const LONGEST = 1_000

/** Reads an option whose value is `-`: from standard input, which is to be one line. @throws CliError, which does not quote it */
export function fromStandardInput(text: string): string {
  if (text !== '-') {
    throw new CliError(
      'USAGE',
      'Give "-", and the value on standard input: everybody on this machine can see command lines.',
    )
  }
  const given = readFileSync(0, 'utf8').trim()
  if (given !== '' && given.length <= LONGEST && !given.includes('\n')) return given
  throw new CliError('USAGE', 'Standard input must be one line.')
}
