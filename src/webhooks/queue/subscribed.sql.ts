/** Which endpoints an event is for. */

/**
 * SQL that joins an event with the endpoints `w` to which it is to be delivered: the enabled ones of its integration that are subscribed to its type.
 * @param event an alias with the event's `integration_id` and `type`
 */
export function joinSubscribed(event: string): string {
  return `join webhook_endpoints w on w.integration_id = ${event}.integration_id and w.status = 'enabled'
    and (w.event_types is null or ${event}.type = any (w.event_types))`
}
