/** coin wallet … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, bind, fields, rename, table, wholeNumber } from './command.ts'
import { printChains, whetherAllWorked } from './on-chains.ts'
import { printJson } from './output.ts'

const NAMES = { customer: 'customerId', chain: 'chainId' }

export function register(noun: Command): void {
  const consent = add(
    noun,
    'consent',
    'what the holder of a wallet signs (EIP-712) so that it may be linked to a customer',
    (options) => post('/wallets/consent', rename(options, NAMES)),
    printJson,
  )
  ofCustomer(consent).option('--chain <id>', 'the chain; needed where there are several', wholeNumber)
  const addition = add(noun, 'add', 'link a wallet on the chains and record it; safe to repeat', (options) =>
    post('/wallets', rename(options, NAMES)),
  )
  ofCustomer(addition)
    .option('--consent <signature>', 'the holder’s signature of what wallet consent printed, as 0x and digits')
    .option('--deadline <seconds>', 'the deadline in what was signed')
    .option('--chain <id>', 'only this chain', wholeNumber)
    .option('--primary', 'make it the one that pays for transfers (the first one is anyway)')
    .option('--shared', 'add it although another customer has it too')
  const removal = add(noun, 'remove', 'take a wallet from a customer and unlink it; safe to repeat', (options) =>
    post('/wallets/remove', rename(options, NAMES)),
  )
  ofCustomer(removal)
  add(
    noun,
    'list',
    'wallets of a customer',
    (options) => get('/wallets', rename(options, NAMES)),
    table('wallets', fields('address', 'isPrimary', 'createdAt')),
  ).requiredOption('--customer <id>', 'the customer')
  for (const [verb, about] of [
    ['freeze', 'keep an address from moving coin, on every chain'],
    ['unfreeze', 'let a frozen address move coin again'],
  ] as const) {
    const command = noun.command(`${verb} <address>`).description(about)
    const request = async (_: unknown, address = '') => whetherAllWorked(await post(`/wallets/${verb}`, { address }))
    bind(command, request, printChains, { keepOk: true })
  }
}

function ofCustomer(command: Command): Command {
  return command.requiredOption('--customer <id>', 'its owner').requiredOption('--address <address>', 'EVM address')
}
