/** Tests of what connections do to one another. */
import { test } from 'node:test'
import { testEngine } from './database.ts'

/**
 * Registers a test that runs on PostgreSQL alone: PGlite is one connection, so nothing there can wait for another. It is not
 * registered there, rather than skipped: a skip is something that should have run.
 */
export function testConnections(name: string, body: () => Promise<void>): void {
  if (testEngine === 'postgres') test(name, body)
}
