/** `npm run -s break-glass -- --name N --reason T`: a new admin when all have lost their tokens. */
import { breakGlass } from '../break-glass.ts'
import { runOnTheMachine } from './on-the-machine.ts'

await runOnTheMachine(['name', 'reason'], breakGlass)
