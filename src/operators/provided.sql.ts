/** SQL of people in the table `operators` who come from the identity provider. */
import type { Queryable } from '../db/database.ts'
import type { Identity, Operator } from './operator.ts'
import { COLUMNS, fromRow, type OperatorRow } from './operators.sql.ts'
import type { OperatorRole } from './roles.ts'

/** Somebody from the provider; `lostGroup`: they are disabled only because no group of theirs had a role. */
export type Provided = Operator & { lostGroup: boolean }

/** Who this is here, locked until the transaction ends; undefined at their first sign-in. */
export async function lockProvided(tx: Queryable, { issuer, subject }: Identity): Promise<Provided | undefined> {
  const [row] = await tx.query<OperatorRow & { lost_group: boolean }>(
    `select ${COLUMNS}, lost_group from operators where issuer = $1 and subject = $2 for update`,
    [issuer, subject],
  )
  return row && { ...fromRow(row), lostGroup: row.lost_group }
}

/** Stores somebody who signs in for the first time. @returns false when the name, or the identity, was stored before */
export async function insertProvided(
  tx: Queryable,
  person: { operatorId: string; name: string; role: OperatorRole; identity: Identity },
): Promise<boolean> {
  const { operatorId, name, role, identity } = person
  const rows = await tx.query(
    `insert into operators (operator_id, name, role, issuer, subject, signed_in_at) values ($1, $2, $3, $4, $5, now())
     on conflict do nothing returning operator_id`,
    [operatorId, name, role, identity.issuer, identity.subject],
  )
  return rows.length > 0
}

/** Gives them the role of their group, and lets in again whom the loss of it had disabled. */
export async function setProvidedRole(tx: Queryable, operatorId: string, role: OperatorRole): Promise<void> {
  await tx.query(
    `update operators set role = $2, lost_group = false, disabled_at = case when lost_group then null else disabled_at end
     where operator_id = $1 and issuer is not null`,
    [operatorId, role],
  )
}

/** Ends the access of somebody none of whose groups has a role; nothing changes for one who was disabled before. */
export async function endWithoutGroup(tx: Queryable, operatorId: string): Promise<void> {
  await tx.query(
    `update operators set disabled_at = now(), lost_group = true
     where operator_id = $1 and disabled_at is null and issuer is not null`,
    [operatorId],
  )
}
