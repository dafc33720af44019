/** GET /reserves: the proof of reserves, as JSON or as a page for people. It needs no key, and reads no chain. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Queryable } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { formatAmount } from '../money.ts'
import { readProof } from '../reserves/proofs.sql.ts'
import { coverOf, type SignedReserves } from '../reserves/statement.ts'
import { escapeHtml } from '../values/html.ts'
import { prefers } from './accept-header.ts'
import { JSON_TYPE, successBody } from './envelope.ts'

const KEPT_MS = 5_000
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%;margin:1rem 0}td,th{border-bottom:1px solid #ccc;padding:.3rem .5rem;text-align:left;overflow-wrap:anywhere}code{font-size:.8rem;overflow-wrap:anywhere}'
const SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Registers the path. However often it is asked, the database is read once in five seconds. */
export function registerReserves(app: FastifyInstance, { db, nowMs }: { db: Queryable; nowMs: () => number }): void {
  let kept: { proof: Promise<SignedReserves | undefined>; atMs: number } | undefined
  const read = async (): Promise<SignedReserves> => {
    const atMs = nowMs()
    // A clock that was set back would keep it until the time that it had shown.
    if (kept === undefined || atMs < kept.atMs || atMs - kept.atMs >= KEPT_MS) kept = { proof: readProof(db), atMs }
    const asked = kept
    const proof = await asked.proof.catch((error: unknown) => {
      if (kept === asked) kept = undefined
      throw error
    })
    if (proof === undefined) throw new ApiError('SERVICE_UNAVAILABLE')
    return proof
  }
  app.get('/reserves', async ({ headers }, reply) => {
    const proof = await read()
    reply.header('vary', 'accept').header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff')
    if (!prefers(headers, 'text/html', 'application/json'))
      return reply.header('content-type', JSON_TYPE).send(successBody(proof))
    reply.header('content-security-policy', SECURITY_POLICY)
    return reply.header('content-type', 'text/html; charset=utf-8').send(pageOf(proof))
  })
}

function pageOf(proof: SignedReserves): string {
  const { availableMicro, owedMicro } = coverOf(proof)
  const amount = (micro: string | bigint) => formatAmount(BigInt(micro))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reserves</title><style>${STYLE}</style></head><body><h1>Reserves</h1>
<p>As of ${escapeHtml(proof.madeAt)}: RM ${amount(availableMicro)} stand behind RM ${amount(owedMicro)}.</p>
<h2>Coin in existence</h2>${tableOf(
    ['Chain', 'Coin', 'Block', 'Supply'],
    proof.supplies.map((each) => [
      String(each.chainId),
      each.coin,
      `${each.blockNumber} (${each.blockHash})`,
      amount(each.supplyMicro),
    ]),
  )}
${lostOf(proof)}
<h2>Ringgit at the bank</h2>${tableOf(
    ['Account', 'Statement of', 'Balance', 'Credits since'],
    proof.statements.map((each) => [
      each.account,
      each.closedOn,
      amount(each.closingMicro),
      amount(each.creditsSinceMicro),
    ]),
  )}
<h2>Owed and on its way</h2>${tableOf(
    ['What', 'RM'],
    [
      ['Burnt, not yet with a bank', amount(proof.payableMicro)],
      ['Parts of a sen that are kept', amount(proof.residualMicro)],
      ...(proof.missingMicro === undefined
        ? []
        : [['Gone from a chain, and perhaps owed, though in no books yet', amount(proof.missingMicro)]]),
      ['On its way, or perhaps on two accounts', amount(proof.clearingMicro)],
    ],
  )}
<p>Signed by <code>${escapeHtml(proof.signer)}</code>: <code>${escapeHtml(proof.signature)}</code></p></body></html>
`
}

function lostOf({ lost = [] }: SignedReserves): string {
  if (lost.length === 0) return ''
  const rows = lost.map(({ chainId, coin, lostAt, supplyMicro }) => [
    String(chainId),
    coin,
    lostAt,
    formatAmount(BigInt(supplyMicro)),
  ])
  return `<p>On chains that are gone for good, as the books have it:</p>${tableOf(['Chain', 'Coin', 'Lost since', 'Supply'], rows)}`
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  return `<table>${line('th', heads)}${rows.map((cells) => line('td', cells)).join('')}</table>`
}
