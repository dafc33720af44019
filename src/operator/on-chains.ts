/** One action on several chains in parallel: none waits for another, and failures are reported beside successes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { whoActs } from '../operators/acting.ts'
import { type AuditEntry, appendAudit, useApprovalOf } from './audit.sql.ts'
import type { OperatorChain, OperatorDeps } from './deps.ts'
import { OPERATOR_ERRORS } from './errors.ts'
import { refusalOf } from './refusals.ts'

/** `txHash`: null when there was nothing to do. `error`: a sentence that says what to do. `isConfigured`: false where the chains file does not name it. */
export type ChainResult = {
  chainId: number
  ok: boolean
  txHash: string | null
  error: string | null
  isConfigured?: false
}

/** How long what need not be recorded is waited for, when it is done. */
const AUDIT_PATIENCE_MS = 2_000

export type ChainResults = { ok: boolean; chains: ChainResult[] }

/**
 * Performs the action on every chain and waits for all. Never throws for a chain that fails.
 * @param told the entry of the audit log: a database transaction cannot undo what happens on a chain, so it is recorded
 * before and after. `orOnlyLogged`: the action waits for no database, and what cannot be recorded is logged
 */
export async function onChains(
  { db, logger }: Pick<OperatorDeps, 'db' | 'logger'>,
  chains: readonly OperatorChain[],
  told: { action: string; details?: Record<string, string | boolean>; orOnlyLogged?: boolean },
  perform: (admin: OperatorChain['admin']) => Promise<Hex | undefined>,
): Promise<ChainResults> {
  const { action, details = {}, orOnlyLogged = false } = told
  const record = async (entry: AuditEntry): Promise<void> => {
    const recorded = appendAudit(db, entry)
    if (!orOnlyLogged) return await recorded
    const { actor, origin, reason } = whoActs()
    const unwritten = { ...entry, actor, origin, ...(reason !== undefined && { reason }) }
    const logged = recorded.catch((error: unknown) =>
      logger.fatal({ err: error, ...unwritten }, 'not in the audit log'),
    )
    await Promise.race([logged, sleep(AUDIT_PATIENCE_MS)])
  }
  if (!orOnlyLogged) await useApprovalOf(db)
  const results = await Promise.all(
    chains.map(async ({ config: { chainId }, admin }): Promise<ChainResult> => {
      const target = String(chainId)
      try {
        const begun = record({ action: `${action}.begun`, target, details })
        if (!orOnlyLogged) await begun
        const txHash = (await perform(admin)) ?? null
        await begun
        await record({ action, target, details: { ...details, txHash } })
        return { chainId, ok: true, txHash, error: null }
      } catch (error) {
        const { code, message } = refusalOf(error)
        if (OPERATOR_ERRORS[code] >= 500) logger.error({ err: error, chainId, action }, 'operator action failed')
        return { chainId, ok: false, txHash: null, error: message }
      }
    }),
  )
  return { ok: results.every(({ ok }) => ok), chains: results }
}
