/** What the tests do as the demo partner of a sandbox. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { atLeast, waitFor } from '../support/wait-for.ts'
import type { Sandbox } from './sandbox-process.ts'

/** What the demo's customers own together when a sandbox has started for the first time. */
export const FUNDED_MICRO = 121_000_000_000n

type Order = { status: string; amounts: { amountRaw: string } }

/** The demo partner's key, as the data folder keeps it. */
export function keyOf({ dataDir }: Sandbox): string {
  return readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim()
}

/** What the API answers to the demo partner. */
export async function get<T>(sandbox: Sandbox, path: string): Promise<T> {
  const response = await fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `Bearer ${keyOf(sandbox)}` } })
  assert.equal(response.status, 200)
  return (await response.json()) as T
}

/** Posts a confirmed mint of 10 for the first demo customer and returns its reference. */
export async function postMint(sandbox: Sandbox): Promise<string> {
  const [, customerId, walletAddress] = /resident +(cus_\w+) +(0x\w+)/.exec(sandbox.text) ?? []
  const referenceId = `test-${randomUUID()}`
  const response = await fetch(`${sandbox.baseUrl}/mints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keyOf(sandbox)}`,
      'idempotency-key': referenceId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ referenceId, amountMyr: '10', walletAddress, customerId, fiatConfirmed: true }),
  })
  assert.equal(response.status, 201, await response.text())
  return referenceId
}

/** Waits until a mint is completed. */
export async function completed(sandbox: Sandbox, referenceId: string): Promise<void> {
  await waitFor(
    `${referenceId} to be completed`,
    async () => (await get<Order>(sandbox, `/mints/${referenceId}`)).status === 'completed',
    { timeoutMs: atLeast(30_000), everyMs: 700 },
  )
}
