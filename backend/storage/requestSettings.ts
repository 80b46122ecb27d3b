import type { Operation } from './operations.ts'
import type { StorageContext } from './Storage.ts'

/**
 * What policies and triggers can ask about the request while the service acts. Deleting rows is allowed
 * to this service alone, since it also removes the bytes.
 */
export function requestSettings(c: StorageContext, operation: Operation): Record<string, string> {
  const { incoming } = c.env
  return {
    'storage.operation': operation,
    'storage.allow_delete_query': 'true',
    'request.method': incoming.method ?? '',
    'request.path': c.req.path,
    'request.headers': JSON.stringify(incoming.headers),
  }
}
