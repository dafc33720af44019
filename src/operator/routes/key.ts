/** /keys: API keys, shown whole once at creation. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { generateApiKey } from '../../integrations/api-key.ts'
import { findKey, insertKey, listKeys, lockKey, revokeKey, updateKey } from '../../integrations/api-keys.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { findKeyUses } from '../../integrations/key-uses.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { parseDuration } from '../instants.ts'
import { known, parseExpiry, requireActive, requireInForce, rotateKey } from '../key-changes.ts'
import {
  changeKeySettings,
  describeKeyChange,
  describeKeySettings,
  parseKeySettings,
  viewKey,
} from '../key-settings.ts'
import { Nothing, nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

const rate = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'a whole number of requests a minute from 1 to 1000000',
  }),
)
const SETTINGS = {
  ipAllowlist: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200, description: 'up to 200 CIDRs' }),
  ),
  expires: Type.Optional(text(1, 40)),
  rateRead: rate,
  rateWrite: rate,
  rateBalances: rate,
  transferTxCap: Type.Optional(text(1, 30)),
  transferDayCap: Type.Optional(text(1, 30)),
  mintDayCap: Type.Optional(text(1, 30)),
}
const Creation = Type.Object(
  { integrationId: text(1, 100), scopes: text(1, 1000), ...SETTINGS },
  { additionalProperties: false },
)
const Change = Type.Object(SETTINGS, { additionalProperties: false })
const Query = Type.Object({ ...PageQuery, integrationId: text(1, 100) }, { additionalProperties: false })
const Rotation = Type.Object(
  { overlap: Type.Optional(text(1, 10)), expires: Type.Optional(text(1, 40)) },
  { additionalProperties: false },
)

const DEFAULT_OVERLAP = '7d'
const MAX_OVERLAP_MS = 90 * 86_400_000

type ById = { Params: { keyId: string } }

export function keyRoutes(app: FastifyInstance, { db, config }: OperatorDeps): void {
  app.post('/keys', async ({ body }) => {
    const input = parse(Creation, body)
    const settings = parseKeySettings(input, config.policy)
    const expiresAt = input.expires === undefined ? null : await parseExpiry(db, input.expires)
    const { integrationId } = input
    const { keyId, apiKey, secretSha256 } = generateApiKey(config.environment)
    const { environment } = config
    await audited(
      db,
      async (tx) => {
        await requireActive(tx, integrationId)
        await insertKey(tx, { keyId, integrationId, environment, secretSha256, ...settings, expiresAt })
      },
      () => ({
        action: 'key.create',
        target: keyId,
        details: { integrationId, ...describeKeySettings({ ...settings, expiresAt }) },
      }),
    )
    return { ok: true, keyId, apiKey }
  })

  app.get('/keys', async ({ query }) => {
    const { integrationId, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
    const keys = await listKeys(db, integrationId, page)
    const uses = await findKeyUses(
      db,
      keys.map(({ keyId }) => keyId),
    )
    const next = nextOf(keys, page, (key) => key.keyId)
    return { ok: true, keys: keys.map((key) => viewKey(key, uses.get(key.keyId))), next }
  })

  app.post<ById>('/keys/:keyId/revoke', async ({ params: { keyId }, body }) => {
    parse(Nothing, body)
    const key = await audited(
      db,
      async (tx) => {
        await revokeKey(tx, keyId)
        return known(await findKey(tx, keyId), keyId)
      },
      ({ integrationId }) => ({ action: 'key.revoke', target: keyId, details: { integrationId } }),
    )
    return { ok: true, keyId, revokedAt: key.revokedAt }
  })

  changeRoutes(app, { db, config })
}

function changeRoutes(app: FastifyInstance, { db, config }: Pick<OperatorDeps, 'db' | 'config'>): void {
  app.post<ById>('/keys/:keyId/set', async ({ params: { keyId }, body }) => {
    const { expires, ...change } = parse(Change, body)
    if (expires === undefined && Object.keys(change).length === 0) {
      throw new OperatorError('BAD_REQUEST', 'Name at least one thing to change.')
    }
    const asked = expires === undefined ? undefined : await parseExpiry(db, expires)
    const changed = await audited(
      db,
      async (tx) => {
        await lockKey(tx, keyId)
        const key = await requireInForce(tx, keyId)
        const settings = changeKeySettings(key, change, config.policy)
        const next = { ...key, ...settings, expiresAt: asked === undefined ? key.expiresAt : asked }
        const changes = Object.keys(describeKeyChange(key, next))
        await refuseIdle(() => changes.length > 0, `${keyId} has these settings already: there is nothing to set.`)
        await updateKey(tx, next)
        return { before: key, next }
      },
      ({ before, next }) => ({
        action: 'key.set',
        target: keyId,
        details: { integrationId: next.integrationId, ...describeKeyChange(before, next) },
      }),
    )
    return { ok: true, keyId, ...describeKeySettings(changed.next) }
  })

  app.post<ById>('/keys/:keyId/rotate', async ({ params: { keyId }, body }) => {
    const { overlap = DEFAULT_OVERLAP, expires } = parse(Rotation, body)
    const overlapMs = parseDuration('overlap', overlap, MAX_OVERLAP_MS)
    const asked = expires === undefined ? undefined : await parseExpiry(db, expires)
    const next = generateApiKey(config.environment)
    const rotated = await audited(
      db,
      (tx) => rotateKey(tx, keyId, next, overlapMs, asked),
      ({ integrationId, expiresAt, oldExpiresAt }) => ({
        action: 'key.rotate',
        target: keyId,
        details: {
          integrationId,
          newKeyId: next.keyId,
          expiresAt: expiresAt?.toISOString() ?? null,
          oldExpiresAt: oldExpiresAt.toISOString(),
        },
      }),
    )
    const { expiresAt, oldExpiresAt } = rotated
    return { ok: true, keyId: next.keyId, apiKey: next.apiKey, expiresAt, oldKeyId: keyId, oldExpiresAt }
  })
}
