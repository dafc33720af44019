/** What one client does with one order: create it, repeat itself, contradict itself, confirm, cancel, read. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import type { Attempt, Purpose } from '../judge/evidence.ts'
import type { Call, Client } from './client.ts'
import type { Wanted } from './orders.ts'

/** How the order is created. */
const CREATIONS = [
  { how: 'once', weight: 60 },
  { how: 'same request at the same time', weight: 20 },
  { how: 'other keys at the same time', weight: 12 },
  { how: 'the answer is not awaited', weight: 8 },
] as const

/** What follows once the order was acknowledged. */
const SEQUELS = [
  { what: 'nothing', weight: 50 },
  { what: 'look', weight: 25 },
  { what: 'the same again', weight: 10 },
  { what: 'the same key with another body', weight: 5 },
  { what: 'the same reference with other details', weight: 5 },
] as const

/** What happens to a mint that was not confirmed at once. */
const DECISIONS = [
  { what: 'confirm', weight: 45 },
  { what: 'cancel', weight: 20 },
  { what: 'both at once', weight: 20 },
  { what: 'neither', weight: 15 },
] as const

const LEAST_PATIENCE_MS = 2
const MOST_PATIENCE_MS = 60

/** Plays the story to its end. @param say gets each decision, for the log */
export async function play(
  client: Client,
  wanted: Wanted,
  random: Random,
  say: (decision: string) => void,
): Promise<void> {
  const { intent } = wanted
  const { how } = random.weighted(CREATIONS)
  say(`${intent.reference} ${intent.amountMicro}: ${how}`)
  const status = await create(client, wanted, how, random)
  if (status !== 201) return
  await sequel(client, wanted, random, say)
  if (intent.direction === 'MINT' && !intent.confirmed) await decide(client, wanted, random, say)
}

/** Creates the order; returns the status of the answer that decides. */
export async function create(
  client: Client,
  wanted: Wanted,
  how: (typeof CREATIONS)[number]['how'],
  random: Random,
): Promise<number> {
  const call = creation(wanted, 'k1')
  if (how === 'once') return (await client.insist(call, random)).status
  if (how === 'same request at the same time') {
    const count = random.between(2, 4)
    const attempts = await Promise.all(
      Array.from({ length: count }, (_, index) => client.insist(call, random.fork(`${call.key}-${index}`))),
    )
    return attempts.find(({ status }) => status === 201)?.status ?? attempts[0]?.status ?? 0
  }
  if (how === 'other keys at the same time') {
    const calls = [call, ...[2, 3].map((n) => creation(wanted, `k${n}`, 'same reference, other key'))]
    const attempts = await Promise.all(calls.map((one) => client.insist(one, random.fork(one.key))))
    return attempts.find(({ status }) => status === 201)?.status ?? attempts[0]?.status ?? 0
  }
  // A client that loses patience asks the other server while its first request is still under way.
  const first = client.ask(call, 0)
  await Promise.race([first, sleep(random.between(LEAST_PATIENCE_MS, MOST_PATIENCE_MS))])
  const { status } = await client.insist(call, random)
  await first
  return status
}

function creation({ intent, secret, path, body }: Wanted, suffix: string, purpose: Purpose = 'create'): Call {
  const { reference } = intent
  return { reference, purpose, secret, method: 'POST', path, key: `${reference}-${suffix}`, body: JSON.stringify(body) }
}

async function sequel(client: Client, wanted: Wanted, random: Random, say: (decision: string) => void): Promise<void> {
  const { what } = random.weighted(SEQUELS)
  if (what === 'nothing') return
  say(`${wanted.intent.reference}: ${what}`)
  const amountField = wanted.intent.direction === 'MINT' ? 'amountMyr' : 'amountCoin'
  const other = { ...wanted, body: { ...wanted.body, [amountField]: '4.25' } }
  if (what === 'the same again') await client.insist(creation(wanted, 'k1'), random)
  if (what === 'the same key with another body')
    await client.insist(creation(other, 'k1', 'same key, other body'), random)
  if (what === 'the same reference with other details') {
    await client.insist(creation(other, 'k9', 'same reference, other details'), random)
  }
  if (what !== 'look') return
  await look(client, wanted, random)
  await sleep(random.between(100, 4_000))
  await look(client, wanted, random)
}

/** Reads the order. */
export function look(client: Client, { intent, secret }: Wanted, random: Random): Promise<Attempt> {
  const { reference } = intent
  const path = `/transactions/${reference}`
  return client.insist({ reference, purpose: 'look', secret, method: 'GET', path, key: '', body: '' }, random)
}

async function decide(client: Client, wanted: Wanted, random: Random, say: (decision: string) => void): Promise<void> {
  const { what } = random.weighted(DECISIONS)
  say(`${wanted.intent.reference}: ${what}`)
  await sleep(random.between(0, 400))
  const { reference } = wanted.intent
  const confirmation: Call = creation(
    { ...wanted, body: { ...wanted.body, fiatConfirmed: true } },
    'confirm',
    'confirm',
  )
  const cancellation: Call = {
    ...creation({ ...wanted, body: {} }, 'cancel', 'cancel'),
    path: `/mints/${reference}/cancel`,
  }
  const calls = [
    ...(what === 'confirm' || what === 'both at once' ? [confirmation] : []),
    ...(what === 'cancel' || what === 'both at once' ? [cancellation] : []),
  ]
  await Promise.all(calls.map((call) => client.insist(call, random.fork(call.key))))
}
