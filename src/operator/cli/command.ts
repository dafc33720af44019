/** How every command is made: its options, its request, and how its result is shown. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Result, sendAlong } from './client.ts'
import { type Columns, printFields, printJson, printTable, type Row } from './output.ts'

export type Options = Record<string, unknown>
type Request = (options: Options, ...args: string[]) => Promise<Result>

/**
 * Adds a command that makes a request. With --json its result is printed as it is, without the envelope's `ok`;
 * otherwise `show` prints it.
 * @param usage the command's name and arguments as commander reads them, such as `show <id>`
 */
export function add(
  noun: Command,
  usage: string,
  about: string,
  request: Request,
  show: (result: Result) => void = printFields,
): Command {
  return bind(noun.command(usage).description(about), request, show)
}

/** For every command; the help names it once. */
const APPROVAL = new Option('--approval <id>', 'run what another operator has approved').hideHelp()

const KEY = new Option(
  '--idempotency-key <key>',
  'run again with the same key, a command that creates something repeats its first answer',
).hideHelp()

const REASON = new Option('--reason <text>', 'why, for the audit log').hideHelp()

/** Gives --reason to every command of the noun that has none of its own. A group of commands gets none: it would take the option from those in it. */
export function withReasons(noun: Command): void {
  for (const command of noun.commands) {
    const asks = command.options.some(({ long }) => long === REASON.long)
    if (command.commands.length === 0 && !asks) command.addOption(REASON)
    withReasons(command)
  }
}

/** As `add`, for a command that exists already. `keepOk`: `ok` is part of the result. */
export function bind(
  command: Command,
  request: Request,
  show: (result: Result) => void = printFields,
  { keepOk = false }: { keepOk?: boolean } = {},
): Command {
  command.option('--json', 'print exactly one JSON object').addOption(APPROVAL).addOption(KEY)
  return command.action(async (...given: unknown[]) => {
    const { json, approval, idempotencyKey, ...options } = command.optsWithGlobals<Options>()
    const said = command.options.includes(REASON) ? ifText(options.reason) : undefined
    if (said !== undefined) delete options.reason
    sendAlong({ approval: ifText(approval), idempotencyKey: ifText(idempotencyKey), reason: said })
    const { ok, ...rest } = await request(options, ...given.filter((value) => typeof value === 'string'))
    const result = keepOk ? { ok, ...rest } : rest
    if (json === true) printJson(result)
    else show(result)
  })
}

const ifText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The options of every list. */
export function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'at most this many, 1 to 500 (default 100)')
    .option('--after <id>', 'go on after this one')
}

/** Shows the list `name` of a result as a table, and how to get the next page. */
export function table(name: string, columns: Columns): (result: Result) => void {
  return (result) => {
    printTable(result[name] as Row[], columns)
    if (typeof result.next === 'string') process.stdout.write(`More: add --after ${result.next}\n`)
  }
}

/** A cell that shows a field of a row. A dot in the path enters a nested object. */
export function field(path: string): (row: Row) => unknown {
  return (row) => path.split('.').reduce<unknown>((value, name) => (value as Row | null)?.[name], row)
}

/** Columns that show the fields of the same name. */
export function fields(...paths: string[]): Columns {
  return Object.fromEntries(paths.map((path) => [path.split('.').at(-1) ?? path, field(path)]))
}

/** Reads an option that is a whole number, as great as a chain's id may be. */
export function wholeNumber(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('Give a whole number.')
}

/** Reads an option that is `yes` or `no`. */
export function yesOrNo(text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes'
  throw new InvalidArgumentError('Give yes or no.')
}

/** Of what is let go. */
export const HELD = [
  '--held <words>',
  'for what it is held: words of that reason, as it is shown; of each, where there are several; must be given where it was let go before',
] as const

/** Collects an option that may be given several times. */
export function gather(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), text]
}

/** `options`, some of them renamed to what the API calls them. */
export function rename(options: Options, names: Record<string, string>): Options {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [names[name] ?? name, value]))
}
