import type { ChannelEntry, Uuid } from '../../../wire/linnet.ts'
import { command } from '../client/callCommand.ts'
import { failureNamed } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { running } from '../session/clientSession.ts'

/** Lays the answered entry into the rows, so that the channel is there before its event. */
export function entered(outcome: Outcome<ChannelEntry>): Outcome<ChannelEntry> {
  if (outcome.ok) running()?.store.dispatch({ type: 'entryReceived', entry: outcome.value })
  return outcome
}

/** The workspace in front; null before the first answer. */
export function workspaceId(): Uuid | null {
  return running()?.store.get().workspace?.id ?? null
}

/** What is answered where there is no workspace to ask in. */
export function homeless(): Outcome<never> {
  return { ok: false, failure: failureNamed('not_found') }
}

/** The one conversation of these people and oneself; no people: one's notebook. */
export async function openDirect(people: Uuid[]): Promise<Outcome<ChannelEntry>> {
  const workspace = workspaceId()
  if (!workspace) return homeless()
  return entered(await command('open_direct', { workspace, people }))
}
