/** Tests of how connections affect one another. */
import { test } from 'node:test'
import { testEngine } from './database.ts'

/**
 * Registers a test that runs on PostgreSQL alone: PGlite is one connection, so nothing there can wait for another.
 * There it is not registered, rather than skipped, because a skip means a test that should have run.
 */
export function testConnections(name: string, body: () => Promise<void>): void {
  if (testEngine === 'postgres') test(name, body)
}
