import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'
import { breaksConnection, toDatabaseError } from './failures.ts'

function raised(code: string, message = 'refused'): Error {
  return Object.assign(new Error(message), {
    severity: 'ERROR',
    code,
    detail: 'Key (a)=(secret) exists.',
    params: ['x'],
  })
}

test('failures of the connection, timeouts and lost races can be retried', () => {
  for (const code of ['08006', '57014', '57P01', '57P03', '53300', '40001', '40P01', '25P03', '55P03']) {
    assert.ok(toDatabaseError(raised(code)) instanceof DatabaseUnavailableError, code)
  }
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  assert.ok(toDatabaseError(refused) instanceof DatabaseUnavailableError)
  assert.ok(toDatabaseError(new Error('Connection terminated unexpectedly')) instanceof DatabaseUnavailableError)
})

test('a statement that was cancelled, or waited too long for a lock, does not mean that the database is away', () => {
  for (const code of ['57014', '55P03', '40001', '40P01']) {
    assert.ok(toDatabaseError(raised(code)) instanceof StatementCancelledError, code)
  }
  for (const error of [raised('08006'), raised('57P01'), raised('53300'), new Error('Query read timeout')]) {
    assert.ok(!(toDatabaseError(error) instanceof StatementCancelledError), error.message)
  }
})

test('statement errors and constraint violations are passed on without the values they quote', () => {
  for (const code of ['23505', '42601', '22P02', '25P02']) {
    const error = toDatabaseError(raised(code))
    assert.ok(!(error instanceof DatabaseUnavailableError), code)
    assert.equal('detail' in error, false)
    assert.equal('params' in error, false)
  }
})

test('a password never stays in a message', () => {
  const error = toDatabaseError(new Error('cannot reach postgres://me:hunter2@db'), 'hunter2')
  assert.equal(error.message, 'cannot reach postgres://me:***@db')
})

test('all addresses that were tried are named', () => {
  const error = toDatabaseError(new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]))
  assert.equal(error.message, '::1 refused; 127.0.0.1 refused')
})

test('a connection is kept after an ordinary error and given up after a broken one', () => {
  assert.equal(breaksConnection(raised('23505')), false)
  assert.equal(breaksConnection(raised('57014')), false)
  assert.equal(breaksConnection(raised('57P01')), true)
  assert.equal(breaksConnection(new Error('Query read timeout')), true)
  assert.equal(breaksConnection(raised('0A000')), false)
})

test('where a connection cannot execute its prepared statements any more, another one can, whatever language the server speaks', () => {
  const stale = Object.assign(raised('0A000', 'gecachter Plan darf den Ergebnistyp nicht ändern'), {
    routine: 'RevalidateCachedQuery',
  })
  for (const error of [stale, raised('26000')]) {
    assert.equal(breaksConnection(error), true)
    assert.ok(toDatabaseError(error) instanceof DatabaseUnavailableError)
  }
})
