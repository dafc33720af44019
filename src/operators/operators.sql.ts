/** SQL of the table `operators`. */
import type { Queryable } from '../db/database.ts'
import { type Operator, personOf } from './operator.ts'
import type { OperatorRole } from './roles.ts'

export type OperatorRow = {
  operator_id: string
  name: string
  role: OperatorRole
  created_at: Date
  signed_in_at: Date | null
  disabled_at: Date | null
  issuer: string | null
  subject: string | null
  is_emergency: boolean
  emergency_of: string | null
  token_seen_by: string | null
}

export const COLUMNS =
  'operator_id, name, role, created_at, signed_in_at, disabled_at, issuer, subject, is_emergency, emergency_of, token_seen_by'

/** An operator, with the hash of their token; null for whoever has none. */
export type KnownOperator = Operator & { secretSha256: string | null }

/** More than a team will ever have: nobody adds more. */
export const MAX_OPERATORS = 1_000

/** Everybody ever added, oldest first. */
export async function listOperators(db: Queryable): Promise<KnownOperator[]> {
  const rows = await db.query<OperatorRow & { secret_sha256: string | null }>(
    `select ${COLUMNS}, secret_sha256 from operators order by created_at, operator_id limit ${MAX_OPERATORS}`,
  )
  return rows.map((row) => ({ ...fromRow(row), secretSha256: row.secret_sha256 }))
}

/** The operator with this id, disabled ones included. */
export async function findOperator(db: Queryable, operatorId: string): Promise<KnownOperator | undefined> {
  const [operator] = await findOperators(db, [operatorId])
  return operator
}

/** Several in one round trip, in the order of the given ids; undefined for an unknown one. */
export async function findOperators(
  db: Queryable,
  operatorIds: readonly string[],
): Promise<(KnownOperator | undefined)[]> {
  const rows = await db.query<OperatorRow & { secret_sha256: string | null }>(
    `select ${COLUMNS}, secret_sha256 from operators where operator_id = any ($1::text[])`,
    [operatorIds],
  )
  const found = new Map(rows.map((row) => [row.operator_id, { ...fromRow(row), secretSha256: row.secret_sha256 }]))
  return operatorIds.map((operatorId) => found.get(operatorId))
}

/** The operator who is or was called so. */
export async function findByName(db: Queryable, name: string): Promise<Operator | undefined> {
  const [row] = await db.query<OperatorRow>(`select ${COLUMNS} from operators where lower(name) = lower($1)`, [name])
  return row && fromRow(row)
}

/** Whether there may be one more; disabled ones count, too. */
export async function isRoomForOperator(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ count: bigint }>('select count(*) as count from operators')
  return Number(row?.count ?? 0n) < MAX_OPERATORS
}

/** How many admins have ever signed in, disabled ones included: it never becomes less. */
export async function countSignedInAdmins(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from operators where role = 'admin' and signed_in_at is not null`,
  )
  return Number(row?.count ?? 0n)
}

/**
 * Stores an operator.
 * @param operator.tokenSeenBy whom their token is shown to, who hands it to them
 * @param operator.emergencyOf given for whom break-glass has made: who they were before, if anybody
 * @returns false when somebody has, or had, that name
 */
export async function insertOperator(
  tx: Queryable,
  operator: Pick<Operator, 'operatorId' | 'name' | 'role'> & {
    secretSha256: string
    tokenSeenBy?: string
    emergencyOf?: string | null
  },
): Promise<boolean> {
  const { operatorId, name, role, secretSha256, tokenSeenBy, emergencyOf } = operator
  const rows = await tx.query(
    `insert into operators (operator_id, name, role, secret_sha256, token_seen_by, is_emergency, emergency_of)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (lower(name)) do nothing returning operator_id`,
    [operatorId, name, role, secretSha256, tokenSeenBy ?? null, emergencyOf !== undefined, emergencyOf ?? null],
  )
  return rows.length > 0
}

/** Everybody who is admin and not disabled, locked until the transaction ends, so that two cannot leave at once. */
export async function lockAdmins(tx: Queryable): Promise<Operator[]> {
  const rows = await tx.query<OperatorRow>(
    `select ${COLUMNS} from operators where role = 'admin' and disabled_at is null order by operator_id for update`,
  )
  return rows.map(fromRow)
}

/** The other ways in of the same person that are not disabled. */
export async function findOtherWaysIn(db: Queryable, operator: Operator): Promise<Operator[]> {
  const rows = await db.query<OperatorRow>(
    `select ${COLUMNS} from operators where coalesce(emergency_of, operator_id) = $1 and operator_id <> $2 and disabled_at is null
     order by created_at, operator_id`,
    [personOf(operator), operator.operatorId],
  )
  return rows.map(fromRow)
}

/** Ends an operator's access for good; one disabled before keeps that instant. */
export async function disableOperator(tx: Queryable, operatorId: string): Promise<Operator | undefined> {
  const [row] = await tx.query<OperatorRow>(
    `update operators set disabled_at = coalesce(disabled_at, now()), lost_group = false
     where operator_id = $1 returning ${COLUMNS}`,
    [operatorId],
  )
  return row && fromRow(row)
}

/**
 * Replaces an operator's token.
 * @param to.seenBy whom it is shown to, when that is not the person; null when it is
 * @returns undefined when there is no such operator with a token, or they are disabled
 */
export async function replaceToken(
  tx: Queryable,
  operatorId: string,
  { secretSha256, seenBy }: { secretSha256: string; seenBy: string | null },
): Promise<Operator | undefined> {
  const [row] = await tx.query<OperatorRow>(
    `update operators set secret_sha256 = $2, token_seen_by = $3 where operator_id = $1 and disabled_at is null and issuer is null
     returning ${COLUMNS}`,
    [operatorId, secretSha256, seenBy],
  )
  return row && fromRow(row)
}

/** Records the first use of a token. @returns false when there was one before */
export async function markSignedIn(tx: Queryable, operatorId: string): Promise<boolean> {
  const rows = await tx.query(
    'update operators set signed_in_at = now() where operator_id = $1 and signed_in_at is null returning operator_id',
    [operatorId],
  )
  return rows.length > 0
}

export function fromRow(row: OperatorRow): Operator {
  return {
    operatorId: row.operator_id,
    name: row.name,
    role: row.role,
    createdAt: row.created_at,
    signedInAt: row.signed_in_at,
    disabledAt: row.disabled_at,
    identity: row.issuer === null || row.subject === null ? null : { issuer: row.issuer, subject: row.subject },
    isEmergency: row.is_emergency,
    emergencyOf: row.emergency_of,
    tokenSeenBy: row.token_seen_by,
  }
}
