/** What was written about batches of others, and no command of an operator stands for (read-only). */
import type { Queryable } from '../../db/database.ts'

/** The first ones are enough to act on. */
const MAX_FINDINGS = 100

/** `isSaid`: the audit log has that command, and nobody has approved it. */
export type UnaskedExplanation = {
  chainId: number
  batchId: bigint
  reason: string
  isGivenUp: boolean
  isSaid: boolean
}

/** Whoever has the machine may switch four eyes off, which the audit log says of a live service. */
const MAY_ONE_ALONE = `(not exists (select from database_environment where environment = 'live')
  or exists (select from audit_log w where w.actor = 'service' and w.action = 'service.without-four-eyes' and w.audit_id < s.audit_id))`

/**
 * Explanations without their entry in the audit log, or without the approval that it names: they lower what is owed in the proof of reserves, and hide
 * what others did. A command writes all three in one transaction, so that they have the same time.
 */
export async function findUnaskedExplanations(db: Queryable): Promise<UnaskedExplanation[]> {
  const rows = await db.query<Omit<UnaskedExplanation, 'chainId'> & { chainId: bigint }>(
    `select e.chain_id as "chainId", e.batch_id as "batchId", e.reason, e.gives_up as "isGivenUp", s.audit_id is not null as "isSaid"
     from batch_explanations e left join lateral (
       select a.audit_id, a.details ->> 'approvalId' as approval_id from audit_log a
       where a.target = e.chain_id || '/' || e.batch_id and a.action = 'batch.explain' and a.created_at = e.explained_at
         and a.details ->> 'reason' = e.reason and a.details ->> 'notOrder' is null and a.details @> '{"givenUp": true}' = e.gives_up
       order by a.audit_id desc limit 1) s on true
     where s.audit_id is null or not case when s.approval_id is null then ${MAY_ONE_ALONE} else exists (
       select from approvals p where p.approval_id = s.approval_id and p.command = 'batch explain' and p.status = 'used' and p.used_at = e.explained_at) end
     order by e.chain_id, e.batch_id limit ${MAX_FINDINGS}`,
  )
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }))
}
