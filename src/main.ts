/** Says what happens before it does: loading the program takes seconds on a busy machine. Live prints nothing but its log. */
import { whyNotDone } from './start/no-arguments.ts'
import { ignoreDebugSignal } from './start/no-debugger.ts'

// Ignored, `--roles=api` would start a process with every role.
const refusal = whyNotDone(
  'This starts the service. Its settings are environment variables alone (docs/OPERATIONS.md).',
)
if (refusal === undefined) await start()
else {
  console.error(refusal)
  process.exitCode = 1
}

async function start(): Promise<void> {
  if (process.env.COIN_ENVIRONMENT?.trim() !== 'live') {
    // A reader that has ended, or the full disk of its file, would end the start in its midst, and leave its chain behind.
    process.stdout.on('error', () => {})
    console.log('Loading the program …')
  } else ignoreDebugSignal()
  await import('./program.ts')
}
