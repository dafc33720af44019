/** A reporter for node:test that announces the first failure at once, so that nobody waits for the other tests. */
type TestEvent = {
  type: string
  data: { name?: string; todo?: unknown; details?: { passed?: boolean; error?: Error } }
}

export const FAILED = 'MUTATION-FAILED '

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    const failed = type === 'test:fail' || (type === 'test:complete' && data.details?.passed === false)
    const { cause = '' } = data.details?.error ?? {}
    if (failed && (data.todo === undefined || data.todo === false)) yield `${FAILED}${data.name ?? ''}: ${cause}\n`
  }
}
