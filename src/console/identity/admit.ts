/** Lets in whom the provider has confirmed: makes or updates the operator, or ends the access of one without a group. */
import type { Queryable } from '../../db/database.ts'
import { appendAudit } from '../../operator/audit.sql.ts'
import { newOperatorId } from '../../operators/operator.ts'
import { isRoomForOperator, MAX_OPERATORS } from '../../operators/operators.sql.ts'
import {
  endWithoutGroup,
  insertProvided,
  lockProvided,
  type Provided,
  setProvidedRole,
} from '../../operators/provided.sql.ts'
import type { OperatorRole } from '../../operators/roles.ts'
import { deleteSessionsOf } from '../sessions.sql.ts'
import type { Person } from './person.ts'

/** Who it is; or why they may not come in, which is committed with what it changed. */
export type Admission = { operatorId: string; name: string } | { refusal: string }

const WITHOUT_GROUP =
  'The identity provider has confirmed who you are, but none of your groups has a role here: ask to join one that has, or have OIDC_ROLES name one of yours.'

/** To be run in a transaction, in the name of the service. Everything that changes is recorded. */
export async function admit(tx: Queryable, person: Person): Promise<Admission> {
  const known = await lockProvided(tx, person.identity)
  const { role } = person
  if (known === undefined) return role === undefined ? { refusal: WITHOUT_GROUP } : await welcome(tx, person, role)
  if (role === undefined) return await end(tx, known)
  if (known.disabledAt !== null && !known.lostGroup) {
    return { refusal: `${known.name} was disabled by an admin, which the identity provider cannot undo.` }
  }
  if (known.role !== role || known.disabledAt !== null) {
    await setProvidedRole(tx, known.operatorId, role)
    await appendAudit(tx, {
      action: 'operator.role-from-provider',
      target: known.operatorId,
      details: { name: known.name },
      before: { role: known.role, disabled: known.disabledAt !== null },
      after: { role, disabled: false },
    })
  }
  return { operatorId: known.operatorId, name: known.name }
}

async function welcome(tx: Queryable, { identity, names }: Person, role: OperatorRole): Promise<Admission> {
  if (!(await isRoomForOperator(tx))) {
    return { refusal: `There have been ${MAX_OPERATORS} operators, the most there may be.` }
  }
  const operatorId = newOperatorId()
  for (const name of names) {
    if (!(await insertProvided(tx, { operatorId, name, role, identity }))) continue
    await appendAudit(tx, {
      action: 'operator.add-from-provider',
      target: operatorId,
      details: { name, ...identity },
      after: { name, role },
    })
    return { operatorId, name }
  }
  return { refusal: 'You are signing in twice at the same time: try again.' }
}

async function end(tx: Queryable, { operatorId, name, role, disabledAt }: Provided): Promise<Admission> {
  if (disabledAt === null) {
    await endWithoutGroup(tx, operatorId)
    // They may come back with a group, and then what was open before must not be.
    await deleteSessionsOf(tx, operatorId)
    await appendAudit(tx, {
      action: 'operator.end-from-provider',
      target: operatorId,
      details: { name },
      before: { role, disabled: false },
      after: { role, disabled: true },
    })
  }
  return { refusal: WITHOUT_GROUP }
}
