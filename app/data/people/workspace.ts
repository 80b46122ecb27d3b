import type { ChannelEntry } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { failureNamed } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'

/** Lays the answered entry into the rows, so that the channel is there before its event. */
export function storeEntry(outcome: Outcome<ChannelEntry>): Outcome<ChannelEntry> {
  if (outcome.ok) getClientSession()?.store.dispatch({ type: 'entryReceived', entry: outcome.value })
  return outcome
}

/** The workspace in front; null before the first answer. */
export function workspaceId(): Uuid | null {
  return getClientSession()?.store.get().workspace?.id ?? null
}

/** The result of a command that needs a workspace where there is none. */
export function noWorkspace(): Outcome<never> {
  return { ok: false, failure: failureNamed('not_found') }
}

/** The one conversation of these people and oneself; no people: the conversation with oneself. */
export async function openDirect(people: Uuid[]): Promise<Outcome<ChannelEntry>> {
  const workspace = workspaceId()
  if (!workspace) return noWorkspace()
  return storeEntry(await callCommand('open_direct', { workspace, people }))
}
