/** Who could approve what waits. */
import type { Queryable } from '../../db/database.ts'
import { whyNotDecide } from '../../operators/approval.ts'
import { findApproval } from '../../operators/approvals.sql.ts'
import type { CommandLine } from '../../operators/commands.ts'
import { personOf } from '../../operators/operator.ts'
import { listOperators } from '../../operators/operators.sql.ts'
import { decidersOf } from '../require-role.ts'

/** The names of those who may approve it as things are: whoever asked is to know whom to call. Nobody who has never signed in. */
export async function approversOf(db: Queryable, line: CommandLine, approvalId: string): Promise<string[]> {
  const approval = await findApproval(db, approvalId)
  if (approval === undefined) return []
  const people = await listOperators(db)
  return people.flatMap((each) => {
    const { operatorId, name, role, signedInAt, disabledAt, identity, isEmergency } = each
    if (disabledAt !== null || signedInAt === null) return []
    const issuer = identity?.issuer ?? null
    const mayRun = decidersOf(line).includes(role)
    const decider = { operatorId, person: personOf(each), issuer, isEmergency, mayRun }
    return whyNotDecide(approval, decider, 'approved') === undefined ? [name] : []
  })
}
