/** /operators and /whoami: the people who may use this API. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import {
  isLetIn,
  isOperatorName,
  makeToken,
  newOperatorId,
  type Operator,
  sayTaken,
  tidyName,
  whyNotDisabled,
} from '../../operators/operator.ts'
import {
  disableOperator,
  findByName,
  findOperator,
  findOtherWaysIn,
  insertOperator,
  isRoomForOperator,
  listOperators,
  lockAdmins,
  MAX_OPERATORS,
  replaceToken,
} from '../../operators/operators.sql.ts'
import { OPERATOR_ROLES } from '../../operators/roles.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { requireOwnToken } from '../own-token.ts'
import { Nothing, oneOf, parse, text } from '../parse.ts'

const Addition = Type.Object({ name: text(1, 100), role: oneOf(OPERATOR_ROLES) }, { additionalProperties: false })

type ById = { Params: { operatorId: string } }

export function operatorRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db, refusesTokens = false } = deps
  app.get('/whoami', async (request) => {
    const { operatorId, name, role } = principalOf(request)
    return { ok: true, operatorId, name, role: role ?? 'admin' }
  })

  app.get('/operators', async () => ({ ok: true, operators: (await listOperators(db)).map(view) }))

  app.post('/operators', async (request) => {
    const { name: given, role } = parse(Addition, request.body)
    const name = tidyName(given)
    if (!isOperatorName(name)) {
      throw new OperatorError('BAD_REQUEST', `"name" must be 1 to 100 printable characters, and not a reserved name.`)
    }
    if (refusesTokens) {
      throw new OperatorError(
        'CONFLICT',
        'People come through the identity provider here: put them into a group there.',
      )
    }
    const operatorId = newOperatorId()
    const { token, secretSha256 } = makeToken(operatorId)
    await audited(
      db,
      (tx) => add(tx, { operatorId, name, role, secretSha256, tokenSeenBy: principalOf(request).name }),
      () => ({ action: 'operator.add', target: operatorId, details: { name, role } }),
    )
    return { ok: true, operatorId, token }
  })
  disableRoute(app, deps)
  rotateRoute(app, deps)
  signOutRoute(app, deps)
}

function disableRoute(app: FastifyInstance, { db, refusesTokens = false, provider }: OperatorDeps): void {
  const ways = { refusesTokens, provider }
  app.post<ById>('/operators/:operatorId/disable', async ({ params: { operatorId }, body }) => {
    parse(Nothing, body)
    const disabled = await audited(
      db,
      async (tx) => {
        const admins = await lockAdmins(tx)
        const refusal = whyNotDisabled(known(await findOperator(tx, operatorId), operatorId), { admins, ...ways })
        if (refusal !== undefined) throw new OperatorError('CONFLICT', refusal)
        return known(await disableOperator(tx, operatorId), operatorId)
      },
      ({ name, role }) => ({ action: 'operator.disable', target: operatorId, details: { name, role } }),
    )
    const others = (await findOtherWaysIn(db, disabled)).filter((other) => isLetIn(other, ways))
    return { ok: true, operator: view(disabled), ...(others.length > 0 && { note: sayStillIn(disabled, others) }) }
  })
}

/** Whoever has lost a token goes on with the other one; whoever leaves must not. */
function sayStillIn({ name }: Operator, others: readonly Operator[]): string {
  const ways = others.map((other) => `${other.name}: "coin operator disable ${other.operatorId}"`)
  return `${name} is still let in by another way, which break-glass has made or was there before. If they have left, end it as well (${ways.join('; ')}).`
}

function rotateRoute(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  app.post<ById>('/operators/:operatorId/rotate', async (request) => {
    const { operatorId } = request.params
    const principal = principalOf(request)
    requireOwnOrAdmin(principal, operatorId)
    await requireOwnToken(deps, request, operatorId)
    const { token, secretSha256 } = makeToken(operatorId)
    const seenBy = principal.operatorId === operatorId ? null : principal.name
    await audited(
      db,
      async (tx) => {
        known(await findOperator(tx, operatorId), operatorId)
        const replaced = await replaceToken(tx, operatorId, { secretSha256, seenBy })
        if (replaced !== undefined) return replaced
        throw new OperatorError(
          'CONFLICT',
          `${operatorId} is disabled, or comes from the identity provider and has no token.`,
        )
      },
      ({ name }) => ({ action: 'operator.rotate', target: operatorId, details: { name } }),
    )
    return { ok: true, operatorId, token }
  })
}

function signOutRoute(app: FastifyInstance, { db, signOut }: OperatorDeps): void {
  app.post<ById>('/operators/:operatorId/sign-out', async (request) => {
    const { operatorId } = request.params
    parse(Nothing, request.body)
    requireOwnOrAdmin(principalOf(request), operatorId)
    const sessions = await audited(
      db,
      async (tx) => {
        known(await findOperator(tx, operatorId), operatorId)
        return (await signOut?.(tx, operatorId)) ?? 0
      },
      (ended) => ({ action: 'operator.sign-out', target: operatorId, details: { sessions: ended } }),
    )
    return { ok: true, operatorId, sessions }
  })
}

const known = <T extends Operator>(operator: T | undefined, id: string) =>
  found(operator, 'operator', id, 'operator list')

async function add(tx: Queryable, operator: Parameters<typeof insertOperator>[1]): Promise<void> {
  if (!(await isRoomForOperator(tx))) {
    throw new OperatorError('CONFLICT', `There have been ${MAX_OPERATORS} operators, the most there may be.`)
  }
  if (await insertOperator(tx, operator)) return
  throw new OperatorError('CONFLICT', sayTaken((await findByName(tx, operator.name))?.name ?? operator.name))
}

/** Anybody replaces their own token and signs out their own browsers; another's only an admin. */
function requireOwnOrAdmin(principal: ReturnType<typeof principalOf>, operatorId: string): void {
  if (principal.operatorId === operatorId || principal.roles.includes('admin')) return
  throw new OperatorError('FORBIDDEN', "Only an admin can replace somebody else's token, or sign them out.")
}

function view({ operatorId, name, role, createdAt, signedInAt, disabledAt }: Operator) {
  return { operatorId, name, role, createdAt, signedInAt, disabledAt }
}
