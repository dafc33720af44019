// engine: pglite
/** Bank files are long: whose bodies are read at all, and how many at once. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { MOST_AT_ONCE } from '../../src/operator/routes/bank-import.ts'
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let api: OperatorFixture
before(async () => {
  api = await startOperator()
})
after(() => api.close())

/** Begins to send a bank file of 20 MB. */
function upload(token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 20_000_000 }
  const sent = request(`${api.url}/operator/v1/bank/import`, { method: 'POST', headers })
  sent.on('error', () => {}).write('{"name":"x","content":"')
  return sent
}

/** The answer to what is still being sent. */
async function answerTo(sent: ReturnType<typeof upload>): Promise<{ status: number | undefined; says: string }> {
  const [answer] = (await once(sent, 'response', { signal: AbortSignal.timeout(PATIENCE_MS) })) as [IncomingMessage]
  const says = await text(answer)
  sent.destroy()
  return { status: answer.statusCode, says }
}

test('who may not bring a bank file is refused before its body', async () => {
  const { token } = await api.person('viewer')
  const { status, says } = await answerTo(upload(token))
  assert.equal(status, 403)
  assert.match(says, /bank import.* is for treasury/)
})

test('only so many bank files are read at once, and one that is given up makes room', async () => {
  const { token, call } = await api.person('treasury')
  const held = Array.from({ length: MOST_AT_ONCE }, () => upload(token))
  const tryAnother = () => call('POST', '/bank/import', { name: 'x', content: 'QQ==' })
  await waitFor('all to be under way', async () => (await tryAnother()).status === 429)
  assert.match((await answerTo(upload(token))).says, /import this one once they are/)
  held[0]?.destroy()
  await waitFor('room', async () => (await tryAnother()).status === 409)
  assert.match((await tryAnother()).body.error.message, /No bank account is configured/)
  for (const each of held) each.destroy()
})
