#!/usr/bin/env node
/** The operator's command line: one command per route of the operator API. Run it with `npm run -s coin --`. */
import { Command, CommanderError } from 'commander'
import { WaitingError } from './cli/client.ts'
import { withReasons } from './cli/command.ts'
import { CliError } from './cli/errors.ts'
import { printJson, printRefusal } from './cli/output.ts'

type Noun = { about: string; load: () => Promise<{ register: (noun: Command) => void }> }

/** Only the commands of the noun in use are loaded, so that each starts quickly. */
const NOUNS: Record<string, Noun> = {
  overview: { about: 'flows, queues, and what waits for a person', load: () => import('./cli/overview.ts') },
  integration: { about: 'partners', load: () => import('./cli/integration.ts') },
  key: { about: 'API keys', load: () => import('./cli/key.ts') },
  customer: { about: 'customers of integrations', load: () => import('./cli/customer.ts') },
  wallet: { about: 'wallets of customers', load: () => import('./cli/wallet.ts') },
  corporate: { about: 'companies of integrations', load: () => import('./cli/corporate.ts') },
  webhook: { about: 'webhook endpoints and deliveries', load: () => import('./cli/webhook.ts') },
  order: { about: 'mints, redeems and transfers', load: () => import('./cli/order.ts') },
  batch: { about: 'batches of orders on the chains, ours and foreign ones', load: () => import('./cli/batch.ts') },
  payout: { about: 'ringgit on its way to customers', load: () => import('./cli/payout.ts') },
  bank: { about: 'bank files, statements, and money that nothing explains', load: () => import('./cli/bank.ts') },
  screening: { about: 'the deny list of wallets and recipients', load: () => import('./cli/screening.ts') },
  chain: { about: 'state of the chains, pause and resume', load: () => import('./cli/chain.ts') },
  reconcile: { about: 'prove that supply equals orders', load: () => import('./cli/reconcile.ts') },
  counter: { about: 'counters of usage, and earmarks', load: () => import('./cli/counter.ts') },
  close: { about: 'what happened on a day, and what is not paid', load: () => import('./cli/close.ts') },
  reserves: { about: 'what the ringgit at the bank covers', load: () => import('./cli/reserves.ts') },
  ledger: { about: 'the books in double entry', load: () => import('./cli/ledger.ts') },
  operator: { about: 'the people who may use these commands', load: () => import('./cli/operator.ts') },
  approval: { about: 'what waits for a second person', load: () => import('./cli/approval.ts') },
  whoami: { about: 'whose token this is, and their role', load: () => import('./cli/whoami.ts') },
  secrets: { about: 'what is kept encrypted', load: () => import('./cli/secrets.ts') },
  audit: { about: 'what operators did', load: () => import('./cli/audit.ts') },
}

async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('coin')
    .description('Operates the stablecoin service through its operator API.')
    .option('--json', 'print exactly one JSON object')
    .addHelpText('after', ADDRESS_HELP)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  const wanted = args.find((arg) => Object.hasOwn(NOUNS, arg))
  for (const [name, { about, load }] of Object.entries(NOUNS)) {
    const noun = program.command(name).description(about).copyInheritedSettings(program)
    if (name !== wanted) continue
    ;(await load()).register(noun)
    withReasons(noun)
  }
  return program
}

const ADDRESS_HELP = `
The operator API is found at OPERATOR_URL (default: http://127.0.0.1, port OPERATOR_PORT or 4001). Its token comes from
OPERATOR_TOKEN or from the file operator-token in DATA_DIR (default .data).
A command that another operator has to approve first exits with 3 and names the approval; once it is approved, run the same
command again with --approval ID. A stop that is done on every chain that the process's chains file names, but not on others that it lists, exits
with 4: run it where the file names these. Commands that create something take --idempotency-key KEY: run again with the same key within a
day, they repeat the first answer and create nothing more. Every command that changes something takes --reason TEXT, for the audit
log.
With --json every command prints exactly one JSON object: its result, or { "ok": false, "error": { code, message } }.`

/**
 * Runs one command line.
 * @returns the exit code: 0 done, 1 refused or out of balance, 2 not understood, 3 waiting for approval, 4 done on all chains of the process's chains file alone
 */
async function main(args: readonly string[]): Promise<number> {
  const json = args.includes('--json')
  try {
    const program = await buildProgram(args)
    await program.parseAsync(args, { from: 'user' })
    return typeof process.exitCode === 'number' ? process.exitCode : 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      const isHelp = error.code === 'commander.help'
      const sentence = isHelp ? 'Name a command: see the help above.' : error.message.replace(/^error: /, '')
      printRefusal({ code: 'USAGE', message: `${capital(sentence)} Add --help to see the options.` }, json)
      return 2
    }
    if (error instanceof WaitingError) {
      if (json) printJson({ approvalId: error.approvalId, status: 'waiting', approvers: error.approvers })
      else process.stdout.write(`${error.message}\n`)
      return 3
    }
    if (!(error instanceof CliError)) throw error
    printRefusal({ code: error.code, message: error.message }, json)
    return 1
  }
}

function capital(sentence: string): string {
  const text = sentence.trim().replace(/\s*\n\s*/g, ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? '' : '.'}`
}

// Whoever reads has seen enough, as `| head` does: that is no error, and there is nobody left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.exitCode = await main(process.argv.slice(2))
