import type { Uuid } from '../../../wire/scalars.ts'
import type { OwnRows } from '../../../wire/sync.ts'
import { getClientSession } from './clientSession.ts'

/** Stores the row of a response, so that it is displayed before its event arrives; null: it was deleted. */
export function storeOwnRow<K extends keyof OwnRows>(
  kind: K,
  id: Uuid,
  row: OwnRows[K][number] | null,
): void {
  getClientSession()?.store.dispatch({ type: 'ownRowReceived', kind, id, row })
}
