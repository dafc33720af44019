/** A live service that stands there as docs/GOING-LIVE.md leaves it: it is stopped, started with other settings, and asked as its partner. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { type GoingLive, SERVICE_COMMAND, STEPS } from './going-live.ts'

export const FUNDED = [
  'DEPLOYER',
  'SIGNER',
  'RESERVE_SIGNER',
  'LINKER',
  'FREEZER',
  'PAUSER',
  'SECOND_PAUSER',
  'UNPAUSER',
]

/** Types the whole document. */
export async function goLive(live: GoingLive): Promise<void> {
  for (const { title, blocks } of STEPS) {
    if (title === 'Gas money') await live.fund(FUNDED)
    for (const block of blocks) await live.run(block)
  }
}

export type Standing = ReturnType<typeof standingOf>

export function standingOf(live: GoingLive) {
  /** Runs the program to its end with the settings, some of them changed. */
  async function refusal(changes: Readonly<Record<string, string>>) {
    const started = await live.startService(SERVICE_COMMAND, { PORT: '0', OPERATOR_PORT: '0', ...changes })
    await waitFor('the process to end', () => !started.running(), { timeoutMs: atLeast(60_000) })
    return { code: await started.exited, output: started.output() }
  }

  async function stop(): Promise<void> {
    const service = live.services.findLast((each) => each.running()) ?? assert.fail()
    await service.end('SIGTERM', 60_000)
    assert.equal(await service.exited, 0)
  }

  async function start(changes: Readonly<Record<string, string>> = {}): Promise<void> {
    const service = await live.startService(SERVICE_COMMAND, changes)
    const isReady = async () => !service.running() || (await fetch(`${live.operatorUrl}/readyz`)).ok
    await waitFor('readiness', isReady, { timeoutMs: atLeast(90_000), everyMs: 200 })
    assert.ok(service.running(), service.output())
  }

  async function restart(changes: Readonly<Record<string, string>> = {}): Promise<void> {
    await stop()
    await start(changes)
  }

  async function call<T>(method: string, url: string, body?: Record<string, unknown>): Promise<T> {
    const [apiKey, customerId] = await Promise.all(
      ['apiKey', 'customerId'].map((name) => live.shells.variable('The partner', name)),
    )
    const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(`${live.apiUrl}${url}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && sent) },
      ...(body && { body: JSON.stringify({ walletAddress: live.walletAddress, customerId, ...body }) }),
    })
    const answer = (await response.json()) as T & { ok: boolean }
    assert.ok(answer.ok, JSON.stringify(answer))
    return answer
  }

  const completed = (kind: 'mints' | 'redeems', referenceId: string) =>
    waitFor(
      `the order in ${kind} to be completed`,
      async () => (await call<{ status: string }>('GET', `/${kind}/${referenceId}`)).status === 'completed',
      { timeoutMs: atLeast(60_000), everyMs: 500 },
    )

  return { refusal, stop, start, restart, call, completed }
}
