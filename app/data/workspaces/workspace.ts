import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createFailure } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'

/** Stores the entry of a response, so that the channel is displayed before its event arrives. */
export function storeChannelEntry(outcome: Outcome<ChannelEntry>): Outcome<ChannelEntry> {
  if (outcome.ok) getClientSession()?.store.dispatch({ type: 'entryReceived', entry: outcome.value })
  return outcome
}

/** The current workspace; null before the first bootstrap. */
export function workspaceId(): Uuid | null {
  return getClientSession()?.store.get().workspace?.id ?? null
}

/** The result of a command that needs a workspace where there is none. */
export function noWorkspace(): Outcome<never> {
  return { ok: false, failure: createFailure('not_found') }
}
