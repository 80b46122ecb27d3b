import type { Operation } from './operations.ts'
import type { StorageContext } from './Storage.ts'

/**
 * Settings by which policies and triggers can inspect the request. Only this service may delete rows, since it also
 * deletes the files.
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
