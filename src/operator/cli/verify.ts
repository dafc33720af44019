/** `verify`, of whatever is sealed. */
import type { Command } from 'commander'
import { get } from './client.ts'
import { bind } from './command.ts'
import { printFields } from './output.ts'

/** Adds the command to a noun; it exits 1 when something was changed. */
export function addVerify(noun: Command, path: string, each: string): void {
  bind(
    noun.command('verify').description(`prove that no ${each} was changed or removed, or added without the service`),
    async (options) => {
      const result = await get(path, options)
      if (result.ok !== true) process.exitCode = 1
      return result
    },
    printFields,
    { keepOk: true },
  ).option('--head <head>', 'a head from the log: also prove that the chain still runs through it')
}
