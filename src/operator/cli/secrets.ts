/** coin secrets … */
import type { Command } from 'commander'
import { post, type Result } from './client.ts'
import { add, bind } from './command.ts'
import { printFields } from './output.ts'

export function register(noun: Command): void {
  const reseal = noun.command('reseal').description('seal anew what was sealed under SECRETS_KEY_PREVIOUS')
  bind(reseal, resealAll, printFields, { keepOk: true })
  add(
    noun,
    'lost <key>',
    'say that a key which sealed names in statements is not to be had any more',
    (options, key = '') => post('/secrets/lost', { ...options, secretsKey: key }),
  ).requiredOption('--reason <text>', 'why, for the audit log')
}

/** Step after step, each of which is done for good; run again, it goes on where it was cut off. */
async function resealAll(): Promise<Result> {
  let resealed = 0
  const unreadable: string[] = []
  let after: unknown
  do {
    const step = await post('/secrets/reseal', { after })
    resealed += step.resealed as number
    unreadable.push(...(step.unreadable as string[]))
    after = step.next ?? undefined
  } while (after !== undefined)
  if (unreadable.length > 0) process.exitCode = 1
  return { ok: unreadable.length === 0, resealed, unreadable }
}
