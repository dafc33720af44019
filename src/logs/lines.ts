/** Log lines of which there are many. */
import { type DestinationStream, type Logger, pino } from 'pino'

/** What integrators may use of a logger: its parts, by their symbols. */
type Inside = Logger & {
  [pino.symbols.asJsonSym]: (fields: object, message: string, level: number, time: string) => string
  [pino.symbols.timeSym]: () => string
  [pino.symbols.streamSym]: DestinationStream
}

const TIME = ',"time":"@"'

/**
 * Writes lines of level `info` that differ in few fields: the rest of the line is made once, and nothing is redacted.
 * @param shared the fields that all these lines have
 * @returns takes the other fields as JSON text, each with a comma before it
 */
export function createLines(
  logger: Logger,
  shared: Record<string, unknown>,
  message: string,
): (fields: string) => void {
  if (!logger.isLevelEnabled('info')) return () => {}
  const inside = logger.child(shared, { redact: [] }) as Inside
  const line = inside[pino.symbols.asJsonSym]({}, message, inside.levels.values.info ?? 0, TIME)
  const end = `,"msg":${JSON.stringify(message)}}\n`
  const [beginning = '', middle = ''] = line.slice(0, -end.length).split(TIME)
  const time = inside[pino.symbols.timeSym]
  const output = inside[pino.symbols.streamSym]
  return (fields) => void output.write(`${beginning}${time()}${middle}${fields}${end}`)
}
