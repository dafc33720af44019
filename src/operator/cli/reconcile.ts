/** coin reconcile */
import type { Command } from 'commander'
import { get } from './client.ts'
import { bind, fields } from './command.ts'
import { printTable, type Row, say } from './output.ts'

type Difference = { kind: string; subject: string; message: string }

/** Here `ok` is part of the result: it says whether the books agree. When they do not, the command exits with 1. */
export function register(noun: Command): void {
  bind(
    noun,
    async () => {
      const result = await get('/reconcile')
      if (result.ok !== true) process.exitCode = 1
      return result
    },
    (result) => {
      const differences = result.differences as Difference[]
      say(`supply ${result.supply}, expected ${result.expected}, in the books ${result.books}${withoutOf(differences)}`)
      printTable(result.chains as Row[], fields('chainId', 'block', 'supply', 'expected', 'books'))
      const explained = result.explained as string[]
      const none = explained.length === 0 ? 'No differences.' : 'No differences but what is explained:'
      say(differences.length === 0 ? none : 'Differences:')
      for (const difference of differences) say(`  ${sentenceOf(difference)}`)
      if (differences.length > 0 && explained.length > 0) say('Explained, so no differences:')
      for (const sentence of explained) say(`  ${sentence}`)
    },
    { keepOk: true },
  )
}

/** What is in none of the sums, which would else be taken for all coin there is. */
function withoutOf(differences: readonly Difference[]): string {
  const chains = differences.filter(({ kind }) => kind === 'chain_unreadable').map(({ subject }) => subject)
  return chains.length === 0 ? '' : `, without chain ${chains.join(', ')}, of which nothing was compared`
}

/** Its sentence, which begins with what it is about where it does not name that itself, as "Its payers …" of a statement does not. */
function sentenceOf({ subject, message }: Difference): string {
  const isNamed = subject.split('/').some((part) => message.includes(part))
  return isNamed ? message : `${subject}: ${message}`
}
