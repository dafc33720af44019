/** A request as the rules of approval see it. */
export type Asked = {
  method: string
  /** With everything that the request names, as it was sent. */
  path: string
  params: Readonly<Record<string, string | undefined>>
  body: Readonly<Record<string, unknown>>
  /** Null: the shared token. */
  operatorId: string | null
}

const NAMING = ['customerId', 'integrationId', 'address', 'name', 'chainId', 'file']

/** What a request names, for people. */
export function targetOf({ params, body }: Asked): string {
  const named = Object.values(params).filter((value) => value !== undefined)
  const inBody = NAMING.flatMap((field) =>
    ['string', 'number'].includes(typeof body[field]) ? [String(body[field])] : [],
  )
  const text = [named.join('/'), ...inBody].filter((part) => part !== '').join(' ')
  return text.replace(/\p{C}/gu, ' ').slice(0, 300) || 'everything'
}
