/** Where the operator API is, and the token that opens it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopbackHost } from '../../config/loopback.ts'
import { trimEndOf } from '../../values/trim-end.ts'
import { CliError } from './errors.ts'

const DEFAULT_PORT = '4001'
const DEFAULT_DATA_DIR = '.data'
/** Written by the sandbox into its data folder, readable by its owner only. */
const TOKEN_FILE = 'operator-token'

export type CliSettings = { url: string; token: string }

/** Reads the settings. An empty variable counts as not set. @throws CliError SETTINGS */
export function readSettings(env: NodeJS.ProcessEnv): CliSettings {
  return { url: readUrl(env), token: env.OPERATOR_TOKEN || readTokenFile(env.DATA_DIR || DEFAULT_DATA_DIR) }
}

function readUrl(env: NodeJS.ProcessEnv): string {
  const text = env.OPERATOR_URL || `http://127.0.0.1:${env.OPERATOR_PORT || DEFAULT_PORT}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new CliError(
      'SETTINGS',
      'OPERATOR_URL is http to another machine, so that anybody on the way could read the token: use https, or a tunnel to this machine.',
    )
  }
  if (url !== undefined && /^https?:$/.test(url.protocol)) return trimEndOf(url.href, '/')
  throw new CliError(
    'SETTINGS',
    'OPERATOR_URL or OPERATOR_PORT is not valid: set it to an address such as http://127.0.0.1:4001.',
  )
}

function readTokenFile(dataDir: string): string {
  const file = join(dataDir, TOKEN_FILE)
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (token !== '') return token
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') {
      throw new CliError(
        'SETTINGS',
        `The token in ${file} cannot be read: run this as its owner, or set OPERATOR_TOKEN.`,
      )
    }
  }
  throw new CliError(
    'SETTINGS',
    `There is no operator token: set OPERATOR_TOKEN, or start the sandbox, which writes one to ${file} (set DATA_DIR if its data is elsewhere).`,
  )
}
