/** Reads settings with the documented chains file, or with a change of it, in place of the file that they name. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Config, ConfigError, loadConfig } from '../../src/config.ts'
import { LIVE_SETTINGS, SAMPLE_CHAINS_FILE } from './live-settings.ts'

export type Env = Readonly<Record<string, string | undefined>>

export const SAMPLE = readFileSync(SAMPLE_CHAINS_FILE, 'utf8')
export const LIVE: Env = LIVE_SETTINGS

/** The settings as read; the chains file has the text `file`, or, when that is null, cannot be read. */
export function load(env: Env, file: string | null = SAMPLE): Config {
  return loadConfig(env, () => {
    if (file === null) throw new Error('ENOENT')
    return file
  })
}

/** What is wrong with them, a sentence each. */
export function problemsOf(env: Env, file: string | null = SAMPLE): readonly string[] {
  try {
    load(env, file)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

/** The sample with each of its chains changed. */
export function changed(change: Record<string, unknown>): string {
  const parsed = JSON.parse(SAMPLE) as { chains: Record<string, unknown>[] }
  return JSON.stringify({ chains: parsed.chains.map((chain) => ({ ...chain, ...change })) })
}
