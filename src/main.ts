/** Says what happens before it does: loading the program takes seconds on a busy machine. Live prints nothing but its log. */
import { setFlagsFromString } from 'node:v8'

/**
 * How much the heap may grow, in percent of what is in use, before the next full collection. V8 would let it double: under load that
 * is most of the memory of a process whose requests leave nothing behind (bench/results/memory.md).
 */
const HEAP_GROWING_PERCENT = 20

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
if (process.env.COIN_ENVIRONMENT !== 'live') console.log('Loading the program …')
await import('./program.ts')
