/**
 * Loaded before a test file, and before node:test: which test some code belongs to travels along as an AsyncLocalStorage does,
 * which costs nothing. node:test itself notes every promise with async_hooks and forgets it when it is collected: a tenth of
 * the processor time of tests that await much. Only what node:test takes from async_hooks is another; all else gets the real one.
 */
import hooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

type Note = (id: number, type: string, triggerId: number, resource: object) => void

const current = new AsyncLocalStorage<number>()
let note: Note | undefined

/** A test or suite of node:test: announced like any resource, and the context of what runs in it. */
class Scope extends AsyncResource {
  constructor(...given: ConstructorParameters<typeof AsyncResource>) {
    super(...given)
    note?.(this.asyncId(), 'Test', this.triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => current.run(this.asyncId(), () => Reflect.apply(work, self, args)))
  }
}

const { executionAsyncId, createHook } = hooks
Object.assign(hooks, {
  AsyncResource: Scope,
  executionAsyncId: () => current.getStore() ?? 0,
  createHook: ({ init }: { init: Note }) => ({
    enable() {
      note = init
    },
    disable() {
      note = undefined
    },
  }),
})
process.getBuiltinModule('node:test')
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook })
