/** Several clients at once, each playing one story after another until the load ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import { atLeast, waitFor } from '../../support/wait-for.ts'
import type { Attempt, Intent } from '../judge/evidence.ts'
import type { Parties } from '../world/parties.ts'
import { createClient } from './client.ts'
import { type Wanted, wantNext, wantOpenings } from './orders.ts'
import { create, look, play } from './story.ts'

export type Load = {
  intents: readonly Intent[]
  attempts: readonly Attempt[]
  /** Gives every wallet its first coin; resolves when it is there. */
  open(): Promise<void>
  /** Lets the clients work. */
  begin(): void
  /** Begins no more stories. */
  end(): void
  /** Makes every client stop insisting. */
  giveUp(): void
  /** Resolves when all stories have ended. */
  ended(): Promise<void>
}

export type LoadSettings = { clients: number; servers: readonly string[]; say: (decision: string) => void }

const OPENING_MS = atLeast(60_000)
const LEAST_THINK_MS = 40
const MOST_THINK_MS = 260
/** Stories of one client under way at a time, because a story that waits for its answers must not stop the load. */
const STORIES_EACH = 8

export function createLoad(parties: Parties, random: Random, { clients, servers, say }: LoadSettings): Load {
  const intents: Intent[] = []
  const attempts: Attempt[] = []
  let ending = false
  let over = false
  const client = createClient(
    servers,
    (attempt) => void attempts.push(attempt),
    () => over,
  )

  /** The clients' serials interleave, so that each client's orders depend only on its own random numbers. */
  async function work(number: number): Promise<void> {
    const own = random.fork(`client-${number}`)
    const underWay = new Set<Promise<void>>()
    for (let count = 0; !ending; count += 1) {
      const serial = 1 + number + count * clients
      const wanted = wantNext(parties, serial, own)
      intents.push(wanted.intent)
      const story = play(client, wanted, own.fork(`story-${serial}`), say).finally(() => underWay.delete(story))
      underWay.add(story)
      if (underWay.size >= STORIES_EACH) await Promise.race(underWay)
      await sleep(own.between(LEAST_THINK_MS, MOST_THINK_MS))
    }
    await Promise.all(underWay)
  }

  async function openOne(wanted: Wanted): Promise<void> {
    const own = random.fork(wanted.intent.reference)
    intents.push(wanted.intent)
    await create(client, wanted, 'once', own)
    await waitFor(
      `${wanted.intent.reference} to be completed`,
      async () => (await look(client, wanted, own)).text.includes('"status":"completed"'),
      { timeoutMs: OPENING_MS, everyMs: 200 },
    )
  }

  let working: Promise<unknown> = Promise.resolve()
  return {
    intents,
    attempts,
    async open() {
      await Promise.all(wantOpenings(parties, random.fork('openings')).map(openOne))
    },
    begin() {
      working = Promise.all(Array.from({ length: clients }, (_, number) => work(number)))
    },
    end() {
      ending = true
    },
    giveUp() {
      over = true
    },
    async ended() {
      await working
    },
  }
}
