import { i18n } from '@lingui/core'
import type { AvailableCommand, CommandResponse } from '../../../wire/botCommands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, success, withoutValue, type Outcome } from '../failures/failures.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { createQuery } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { storeOwnRow } from '../session/storeOwnRow.ts'

registerSentences({
  command_text_length: () => i18n._('The text of a command can be up to 4,000 characters long.'),
})

/** The commands of bots in a channel or thread. The list is needed for each key while a command is typed. */
const availableCommands = createQuery({
  maxStored: 20,
  freshMs: 30_000,
  fetch: (channel: Uuid, thread_root: Uuid | null) => callCommand('list_commands', { channel, thread_root }),
})

/** Whether the user sees a bot: otherwise no command of one can exist, and nothing is requested. */
function hasBots(): boolean {
  const members = getClientSession()?.store.get().members.values() ?? []
  return [...members].some(({ profile, state }) => profile.kind === 'bot' && state === 'active')
}

/** The commands of bots in a channel or thread; rejects with a sentence if they cannot be loaded. */
export async function listAvailableCommands(
  channel: Uuid,
  threadRoot: Uuid | null,
): Promise<readonly AvailableCommand[]> {
  if (!hasBots()) return []
  const outcome = await availableCommands.load(channel, threadRoot)
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value.commands
}

/** Runs a command of a bot. Its response arrives as a message, or as one of `useCommandResponses`. */
export async function invokeCommand(o: {
  channel: Uuid
  threadRoot: Uuid | null
  name: string
  text: string
}): Promise<Outcome> {
  const { channel, threadRoot: thread_root, name, text } = o
  const outcome = await callCommand('invoke_command', {
    id: crypto.randomUUID(),
    channel,
    name,
    text,
    thread_root,
  })
  // The bot may have left the channel since its commands were listed.
  if (!outcome.ok) availableCommands.invalidate()
  return withoutValue(outcome)
}

/** What the user's commands in a channel or thread have led to and only they see, oldest first. */
export function useCommandResponses(channel: Uuid, threadRoot: Uuid | null): readonly CommandResponse[] {
  const rows = useClientSession((session) => session?.store.get().responses ?? null)
  return [...(rows?.values() ?? [])]
    .filter((row) => row.channel_id === channel && row.thread_root === threadRoot)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || a.rev - b.rev)
}

/** Removes a response from all devices of the user. */
export async function dismissResponse(id: Uuid): Promise<Outcome> {
  const outcome = await callCommand('dismiss_response', { response: id })
  if (!outcome.ok) return outcome
  storeOwnRow('responses', id, null)
  return success(undefined)
}
