// engine: postgres; both in test:long
/** Sessions of the console: who gets one, what ends it, and what nobody can do with somebody else's. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createOneTimeLogin } from '../../src/console/one-time-login.ts'
import { type OperatorFixture, startOperator, TOKEN } from '../operator/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'

let db: TestDatabase
let api: OperatorFixture
let live: OperatorFixture
const ORIGIN = 'https://console.example.com'
const IDLE_MS = 60_000
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db, sessionTimes: { lifetimeMs: 3_600_000, idleMs: IDLE_MS } })
  live = await startOperator({ db, environment: 'live', origin: ORIGIN })
})
beforeEach(() => emptyTables(db))
after(async () => {
  await api.close()
  await live.close()
  await db.close()
})

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown; text: string }

/** Node's own client, because fetch lets nobody choose Host, Origin and the like. */
function send(
  to: OperatorFixture,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string | undefined>; body?: unknown } = {},
): Promise<Answer> {
  const { host, origin, port } = new URL(to.url)
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const all = { host, origin, ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers: given }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => {
        const { statusCode = 0, headers: got } = response
        const isJson = /json/.test(got['content-type'] ?? '')
        resolve({ status: statusCode, headers: got, body: isJson ? JSON.parse(text) : undefined, text })
      })
    })
    asked.on('error', reject)
    asked.end(sent)
  })
}

const LOGIN = '/console/session'
const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).split(';', 1)[0] ?? ''
const messageOf = ({ body }: Answer) => (body as { error: { message: string } }).error.message

async function signedIn(token: string, to = api, headers: Record<string, string> = {}): Promise<string> {
  const answer = await send(to, 'POST', LOGIN, { body: { token }, headers })
  assert.equal(answer.status, 200, answer.text)
  return cookieOf(answer)
}

const whoami = (cookie: string, headers: Record<string, string | undefined> = {}, to = api) =>
  send(to, 'GET', '/operator/v1/whoami', { headers: { cookie, ...headers } })

describe('signing in', () => {
  it('takes a personal token and sets a cookie that no script reads and no other site sends', async () => {
    const { token, operatorId } = await api.person('treasury', 'Aminah')
    const answer = await send(api, 'POST', LOGIN, { body: { token } })
    assert.match(String(answer.headers['set-cookie']), /^console=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const { body } = await whoami(cookieOf(answer))
    assert.deepEqual(body, { ok: true, operatorId, name: 'Aminah', role: 'treasury' })
    const { entries } = (await api.call('GET', `/audit?target=${operatorId}`)).body
    assert.deepEqual(
      entries.map(({ action, details }: Record<string, unknown>) => [action, details]),
      [
        ['console.sign-in', { how: 'token' }],
        ['operator.sign-in', {}],
        ['operator.add', { name: 'Aminah', role: 'treasury' }],
      ],
    )
    const [row] = await db.query<{ text: string }>('select s::text as text from operator_sessions s')
    const secret = cookieOf(answer).split('=')[1] ?? ''
    assert.ok(row !== undefined && !row.text.includes(secret) && !row.text.includes(token.slice(-43)))
    assert.ok(!api.log.join('\n').includes(secret))
  })

  it('slows and counts wrong tokens', async () => {
    const before = api.wrongTokens.count
    const { token } = await api.person('viewer')
    for (const wrong of [`${token.slice(0, -1)}!`, 'nothing', `coin_operator_${'0'.repeat(16)}_${'a'.repeat(43)}`]) {
      const answer = await send(api, 'POST', LOGIN, { body: { token: wrong } })
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
    assert.equal(api.wrongTokens.count - before, 3)
  })

  it('tells what one may run, and which of it waits', async () => {
    const viewer = await send(api, 'GET', LOGIN, {
      headers: { cookie: await signedIn((await api.person('viewer')).token) },
    })
    const { commands, role } = viewer.body as { commands: { command: string; waits: string | null }[]; role: string }
    assert.equal(role, 'viewer')
    assert.ok(commands.some(({ command }) => command === 'order list'))
    assert.ok(!commands.some(({ command }) => command === 'order hold'))
    assert.ok(commands.every(({ waits }) => waits === null))
    const ofAll = async (to: OperatorFixture, token: string) => {
      const { body } = await send(to, 'GET', LOGIN, { headers: { cookie: await signedIn(token, to) } })
      const told = (body as { commands: { command: string; decides: boolean }[] }).commands
      return told
        .filter(({ command, decides }) => /^(operator rotate|chain resume)$/.test(command) && decides)
        .map(({ command }) => command)
    }
    // Everybody replaces their own token; only admins decide about that of somebody else, and nobody with the shared token.
    assert.deepEqual(await ofAll(api, (await api.person('treasury')).token), ['chain resume'])
    assert.deepEqual(await ofAll(api, (await api.person('admin')).token), ['operator rotate', 'chain resume'])
    assert.deepEqual(await ofAll(api, TOKEN), [])
    assert.equal((await send(api, 'GET', LOGIN)).status, 401)
  })

  it('is Secure and bound to its origin where it comes through TLS', async () => {
    const { token } = await live.person('viewer')
    const through = { host: 'console.example.com', origin: ORIGIN }
    const answer = await send(live, 'POST', LOGIN, { body: { token }, headers: through })
    assert.match(
      String(answer.headers['set-cookie']),
      /^__Host-console=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    assert.equal((await whoami(cookieOf(answer), through, live)).status, 200)
    // Another name, another cookie: a plain one is not taken there.
    const renamed = cookieOf(answer).replace('__Host-', '')
    assert.equal((await whoami(renamed, through, live)).status, 401)
  })

  it('keeps the newest 20 sessions of a person', async () => {
    const { token } = await api.person('viewer')
    const first = await signedIn(token)
    const second = await signedIn(token)
    for (let more = 0; more < 19; more += 1) await signedIn(token)
    assert.deepEqual([(await whoami(first)).status, (await whoami(second)).status], [401, 200])
  })
})

describe('a session becomes no token', () => {
  const rotate = (cookie: string, operatorId: string, body: unknown) =>
    send(api, 'POST', `/operator/v1/operators/${operatorId}/rotate`, { headers: { cookie }, body })

  it('of its person, unless the present one is shown', async () => {
    const [person, other] = [await api.person('support'), await api.person('support')]
    const cookie = await signedIn(person.token)
    const before = api.wrongTokens.count
    for (const body of [{}, { token: other.token }, { token: `${person.token.slice(0, -1)}!` }, { token: '' }]) {
      const { status } = await rotate(cookie, person.operatorId, body)
      assert.equal(status, 'token' in body && body.token === '' ? 400 : 403, JSON.stringify(body))
    }
    assert.equal(api.wrongTokens.count - before, 2)
    assert.equal((await person.call('GET', '/whoami')).status, 200)
    const replaced = await rotate(cookie, person.operatorId, { token: person.token, reason: 'a new laptop' })
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal((await whoami(await signedIn((replaced.body as { token: string }).token))).status, 200)
  })

  it('and nobody shows theirs to replace that of somebody else, which others would read', async () => {
    const [admin, other] = [await api.person('admin'), await api.person('support')]
    const cookie = await signedIn(admin.token)
    assert.equal((await rotate(cookie, other.operatorId, { token: admin.token })).status, 400)
    assert.equal((await rotate(cookie, other.operatorId, {})).status, 200)
  })
})

describe('a session ends', () => {
  it('with the person, at once', async () => {
    const { token, operatorId } = await api.person('support')
    const cookie = await signedIn(token)
    await api.call('POST', `/operators/${operatorId}/disable`, {})
    const refused = await whoami(cookie)
    assert.deepEqual([refused.status, messageOf(refused)], [401, 'Your session has ended: sign in again.'])
  })

  it('with the token that began it', async () => {
    const person = await api.person('support')
    const cookie = await signedIn(person.token)
    const { token } = (await person.call('POST', `/operators/${person.operatorId}/rotate`, {})).body
    assert.equal((await whoami(cookie)).status, 401)
    assert.equal((await whoami(await signedIn(token))).status, 200)
  })

  it('with OPERATOR_TOKEN, once two admins have signed in', async () => {
    const cookie = await signedIn(TOKEN, live)
    assert.equal((await whoami(cookie, {}, live)).status, 200)
    for (const name of ['Aminah', 'Bala']) await (await live.person('admin', name)).call('GET', '/whoami')
    assert.equal((await whoami(cookie, {}, live)).status, 401)
  })

  it('when nobody uses it, and however often a page asks by itself', async () => {
    const cookie = await signedIn((await api.person('viewer')).token)
    const age = (ms: number) =>
      db.query(`update operator_sessions set last_used_at = now() - $1 * interval '1 millisecond'`, [ms])
    await age(IDLE_MS - 10_000)
    assert.equal((await whoami(cookie, { 'x-by-itself': '1' })).status, 200)
    const idle = async () =>
      (
        await db.query<{ ms: number }>(
          'select (extract(epoch from now() - last_used_at) * 1000)::float8 as ms from operator_sessions',
        )
      )[0]?.ms ?? 0
    assert.ok((await idle()) >= IDLE_MS - 10_000)
    assert.equal((await whoami(cookie)).status, 200)
    assert.ok((await idle()) < IDLE_MS - 10_000)
    await age(IDLE_MS + 1)
    assert.equal((await whoami(cookie)).status, 401)
  })

  it('in the service after an hour without use, and after twelve hours', async () => {
    // `live` has no times of a test.
    const cookie = await signedIn((await api.person('viewer')).token, live)
    const [row] = await db.query<{ lasts: number }>(
      'select (extract(epoch from expires_at - created_at) / 3600)::float8 as lasts from operator_sessions',
    )
    assert.ok(Math.abs((row?.lasts ?? 0) - 12) < 0.01, String(row?.lasts))
    const unused = async (minutes: number) => {
      await db.query(`update operator_sessions set last_used_at = now() - $1 * interval '1 minute'`, [minutes])
      return (await whoami(cookie, {}, live)).status
    }
    assert.deepEqual([await unused(59), await unused(61)], [200, 401])
  })

  it('after its time, used or not', async () => {
    const cookie = await signedIn((await api.person('viewer')).token)
    await db.query(
      `update operator_sessions set created_at = now() - interval '2 hours', expires_at = now() - interval '1 second'`,
    )
    assert.equal((await whoami(cookie)).status, 401)
  })

  it('when its person leaves, and its row goes', async () => {
    const { token, operatorId } = await api.person('viewer')
    const [cookie, other] = [await signedIn(token), await signedIn(token)]
    const left = await send(api, 'POST', '/console/session/end', { body: {}, headers: { cookie } })
    assert.equal(left.status, 200)
    assert.match(String(left.headers['set-cookie']), /^console=; .*Max-Age=0$/)
    assert.deepEqual([(await whoami(cookie)).status, (await whoami(other)).status], [401, 200])
    const [{ action }] = (await api.call('GET', `/audit?target=${operatorId}`)).body.entries
    assert.equal(action, 'console.sign-out')
    assert.equal((await db.query('select 1 from operator_sessions')).length, 1)
  })
})

describe('a stolen or borrowed session', () => {
  const STOP = '/operator/v1/chains/pause'
  const borrow = async (headers: Record<string, string | undefined>, body: unknown = {}) => {
    const cookie = await signedIn((await api.person('treasury')).token)
    return await send(api, 'POST', STOP, { headers: { cookie, ...headers }, body })
  }

  it('changes nothing without the console’s own Origin', async () => {
    const { port } = new URL(api.url)
    for (const origin of [
      undefined,
      'null',
      'https://evil.example',
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
    ]) {
      const { status } = await borrow({ origin })
      assert.equal(status, 403, String(origin))
    }
    assert.equal(api.chain.paused, false)
    assert.equal((await borrow({})).status, 200)
    assert.equal(api.chain.paused, true)
    api.chain.paused = false
  })

  it('reads nothing under a name that somebody else points here, nor for another site', async () => {
    const cookie = await signedIn((await api.person('viewer')).token)
    const { port } = new URL(api.url)
    for (const host of [
      `evil.example:${port}`,
      'evil.example',
      `127.0.0.1.evil.example:${port}`,
      `localhost:${port}@evil.example`,
    ]) {
      const refused = await whoami(cookie, { host })
      assert.ok([400, 403].includes(refused.status), `${host}: ${refused.status}`)
      const shell = await send(api, 'GET', '/console/', { headers: { host } })
      assert.ok([400, 403].includes(shell.status), `${host}: ${shell.status}`)
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      assert.equal((await whoami(cookie, { 'sec-fetch-site': site })).status, 403, site)
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost:9999']) {
      assert.equal((await whoami(cookie, { host, origin: `http://${host}` })).status, 200, host)
    }
  })

  it('sends nothing but JSON, so that no form of another page can', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', undefined]) {
      const { status } = await borrow({ 'content-type': type })
      assert.ok([400, 415].includes(status), `${type}: ${status}`)
    }
    assert.equal(api.chain.paused, false)
  })

  it('is not begun by another site either', async () => {
    const { token } = await api.person('viewer')
    for (const headers of [{ origin: 'https://evil.example' }, { origin: undefined }, { host: 'evil.example' }]) {
      const answer = await send(api, 'POST', LOGIN, { body: { token }, headers })
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined])
    }
    const cookie = await signedIn(token)
    const forced = await send(api, 'POST', '/console/session/end', {
      body: {},
      headers: { cookie, origin: 'https://evil.example' },
    })
    assert.deepEqual([forced.status, (await whoami(cookie)).status], [403, 200])
  })

  it('cannot be guessed, forged or doubled', async () => {
    const cookie = await signedIn((await api.person('viewer')).token)
    const last = cookie.at(-1) === 'a' ? 'b' : 'a'
    for (const wrong of [
      cookie.slice(0, -1) + last,
      'console=',
      'console=x',
      `${cookie}; ${cookie}`,
      `console=${'a'.repeat(43)}`,
    ]) {
      assert.equal((await whoami(wrong)).status, 401, wrong)
    }
    const hash = (await db.query<{ sha: string }>('select secret_sha256 as sha from operator_sessions'))[0]?.sha
    assert.equal((await whoami(`console=${hash}`)).status, 401)
  })

  it('does not lend its rights to a wrong token', async () => {
    const cookie = await signedIn((await api.person('viewer')).token)
    assert.equal((await whoami(cookie, { authorization: 'Bearer nobody' })).status, 401)
  })

  it('may only stop things while the database is away', async () => {
    const away = await startOperator()
    const { token } = await away.person('treasury')
    const cookie = await signedIn(token, away)
    assert.equal((await whoami(cookie, {}, away)).status, 200)
    await away.db.close()
    const stop = await send(away, 'POST', STOP, { headers: { cookie }, body: {} })
    const look = await send(away, 'GET', '/operator/v1/chains', { headers: { cookie } })
    assert.deepEqual([away.chain.paused, stop.status, look.status], [true, 200, 503])
    await away.close().catch(() => {})
  })
})

describe('the one-time login of a sandbox', () => {
  it('works once', async () => {
    const code = api.issueLogin()
    const first = await send(api, 'POST', LOGIN, { body: { code } })
    assert.equal(first.status, 200)
    assert.deepEqual((await whoami(cookieOf(first))).body, {
      ok: true,
      operatorId: null,
      name: 'operator',
      role: 'admin',
    })
    const again = await send(api, 'POST', LOGIN, { body: { code } })
    assert.deepEqual([again.status, again.headers['set-cookie']], [401, undefined])
    assert.match(messageOf(again), /used before/)
    assert.ok(!api.log.join('\n').includes(String(code)))
  })

  it('exists in a sandbox only', async () => {
    assert.equal(live.issueLogin(), undefined)
    for (const code of [api.issueLogin(), '']) {
      assert.notEqual((await send(live, 'POST', LOGIN, { body: { code } })).status, 200)
    }
  })

  it('ends after 15 minutes, and when another is made', () => {
    let nowMs = 0
    const login = createOneTimeLogin(() => nowMs)
    assert.equal(login.redeem(''), false)
    const first = login.issue()
    const second = login.issue()
    assert.equal(login.redeem(first), false)
    nowMs = 15 * 60_000
    assert.equal(login.redeem(second), false)
    const third = login.issue()
    nowMs += 15 * 60_000 - 1
    assert.deepEqual([login.redeem(third), login.redeem(third)], [true, false])
  })
})

describe('the answers of the API', () => {
  it('are kept by no browser, whatever they are', async () => {
    const cookie = await signedIn(TOKEN)
    for (const [path, status] of [
      ['/operator/v1/integrations', 200],
      ['/operator/v1/customers/none', 404],
      ['/operator/v1/nothing', 404],
      ['/operator/v1/close?date=x&format=csv', 400],
    ] as const) {
      const answer = await send(api, 'GET', path, { headers: { cookie } })
      assert.deepEqual(
        [answer.status, answer.headers['cache-control'], answer.headers['x-content-type-options']],
        [status, 'no-store', 'nosniff'],
        path,
      )
    }
    const { headers } = await send(api, 'GET', '/operator/v1/integrations')
    assert.equal(headers['cache-control'], 'no-store')
  })
})

describe('the page', () => {
  it('runs nothing from elsewhere, is framed by nobody and kept nowhere', async () => {
    const { headers, status, text } = await send(api, 'GET', '/console/orders?status=held')
    assert.equal(status, 200)
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    assert.deepEqual(
      ['x-content-type-options', 'referrer-policy', 'cache-control'].map((name) => headers[name]),
      ['nosniff', 'no-referrer', 'no-store'],
    )
    assert.doesNotMatch(text, /https?:|<script>|style=/)
    for (const path of text.match(/\/console\/assets\/[^"]+/g) ?? []) {
      const asset = await send(api, 'GET', path)
      assert.equal(asset.status, 200, path)
      assert.doesNotMatch(asset.text, /(?:^|[;}])\s*(?:import|export)\b[^;'"]*\bfrom\s*["'](?![./])/m, path)
    }
    for (const path of [
      '/console/assets/../console.ts',
      '/console/assets/%2e%2e/console.ts',
      '/console/assets/nothing.ts',
    ]) {
      assert.equal((await send(api, 'GET', path)).status, 404, path)
    }
    assert.equal((await send(api, 'GET', '/')).headers.location, '/console/')
  })

  it('lets browsers keep the modules whose address names what they say, and no others', async () => {
    const { text } = await send(api, 'GET', '/console/')
    const addresses = text.match(/\/console\/assets\/[^"]+/g) ?? []
    assert.ok(addresses.length > 50)
    for (const address of addresses) {
      const asset = await send(api, 'GET', address)
      assert.equal(asset.headers['cache-control'], 'private, max-age=31536000, immutable', address)
      const elsewhere = address.replace(/assets\/[^/]+/, 'assets/0123456789abcdef')
      const ofOther = await send(api, 'GET', elsewhere)
      assert.deepEqual([ofOther.status, ofOther.headers['cache-control']], [200, 'no-store'], elsewhere)
      assert.equal(ofOther.text, asset.text)
    }
  })
})
