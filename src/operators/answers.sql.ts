/** SQL of the table `operator_answers`: what commands with an idempotency key were answered. */
import type { Queryable } from '../db/database.ts'
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'
import type { SecretBox } from '../secrets/secrets.ts'

export type AnswerKey = { askedBy: string; idempotencyKey: string }

/** `sealed`: see `sealAnswer`; null once it is no longer kept. */
export type RememberedAnswer = { sealed: string | null; answeredAt: Date }

/** An answer as text, with the digest of what it answers: sealed together, so that nobody can try out what was asked. */
export type KeptAnswer = { digest: string; answer: string }

/** Seals an answer for its key alone: put under another one it does not open. */
export function sealAnswer(secrets: SecretBox, key: AnswerKey, kept: KeptAnswer): string {
  return secrets.seal(JSON.stringify(kept), boundTo(key))
}

/** Opens it; undefined when no key opens it. */
export function openAnswer(secrets: SecretBox, key: AnswerKey, sealed: string): KeptAnswer | undefined {
  try {
    return JSON.parse(secrets.open(sealed, boundTo(key))) as KeptAnswer
  } catch {
    return undefined
  }
}

const boundTo = ({ askedBy, idempotencyKey }: AnswerKey) => `${askedBy} ${idempotencyKey}`

/** How long an answer is kept: it may show a secret. */
const KEPT = `interval '1 day'`

/** What was answered under a key; without its text once that is kept no longer. */
export async function findAnswer(
  db: Queryable,
  { askedBy, idempotencyKey }: AnswerKey,
): Promise<RememberedAnswer | undefined> {
  const [row] = await db.query<{ answer: string | null; answered_at: Date }>(
    `select case when answered_at > now() - ${KEPT} then answer end as answer, answered_at
     from operator_answers where asked_by = $1 and idempotency_key = $2`,
    [askedBy, idempotencyKey],
  )
  return row && { sealed: row.answer, answeredAt: row.answered_at }
}

/** Takes a key for a request, before it does anything. Waits for another request that has it. @returns false when it is taken */
export async function takeAnswerKey(tx: Queryable, { askedBy, idempotencyKey }: AnswerKey): Promise<boolean> {
  const rows = await tx.query(
    `insert into operator_answers (asked_by, idempotency_key) values ($1, $2) on conflict do nothing returning asked_by`,
    [askedBy, idempotencyKey],
  )
  return rows.length > 0
}

/** Remembers the answer in the transaction of what it answers, and forgets some that were kept long enough. */
export async function storeAnswer(
  tx: Queryable,
  { askedBy, idempotencyKey }: AnswerKey,
  sealed: string,
): Promise<void> {
  await tx.query('update operator_answers set answer = $3 where asked_by = $1 and idempotency_key = $2', [
    askedBy,
    idempotencyKey,
    sealed,
  ])
  await tx.query(
    `update operator_answers set answer = null where (asked_by, idempotency_key) in (
       select asked_by, idempotency_key from operator_answers where answer is not null and answered_at <= now() - ${KEPT}
       order by answered_at limit 100 for update skip locked)`,
  )
}

const NAME = `asked_by || ' ' || idempotency_key`

export const SEALED_ANSWERS: SealedTable<Queryable> = {
  name: 'operator_answers',
  find: (tx, { prefix, after, limit }) =>
    tx.query<SealedValue>(
      `select ${NAME} as key, ${NAME} as "boundTo", answer as sealed from operator_answers
       where answer is not null and not starts_with(answer, $1) and (${NAME}) collate "C" > $2
       order by (${NAME}) collate "C" limit $3::int`,
      [prefix, after, limit],
    ),
  async replace(tx, { key, sealed }, { sealed: anew }) {
    const rows = await tx.query(
      `update operator_answers set answer = $3 where ${NAME} = $1 and answer = $2 returning asked_by`,
      [key, sealed, anew],
    )
    return rows.length > 0
  },
}
