/** A registered webhook address of an integration. */
import type { EventType } from '../../events/event.ts'

/** An endpoint as operators see it: everything but its secrets. */
export type Endpoint = {
  endpointId: string
  integrationId: string
  url: string
  /** null: all events. */
  eventTypes: EventType[] | null
  /** removed: shown nowhere but in the history of its deliveries. */
  status: 'enabled' | 'disabled' | 'removed'
  disabledReason: string | null
  /** Whether a new secret waits to be activated. */
  rotating: boolean
  createdAt: Date
  updatedAt: Date
}

/** An endpoint's sealed secrets: the one that signs, and the one that waits during a rotation. */
export type SealedSecrets = { url: string; secretEncrypted: string; nextSecretEncrypted: string | null }
