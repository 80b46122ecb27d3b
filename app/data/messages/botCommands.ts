import { i18n } from '@lingui/core'
import type { AvailableCommand, CommandResponse } from '../../../wire/botCommands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { registerSentences, success, withoutValue, type Outcome } from '../failures/failures.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession } from '../session/clientSession.ts'
import { storeOwnRow } from '../session/storeOwnRow.ts'

registerSentences({
  command_text_length: () => i18n._('The text of a command can be up to 4,000 characters long.'),
})

/** How long (ms) a list of commands is used again: it is needed for each key while a command is typed. */
const LIST_AGE_MS = 30_000
const lists = new Map<string, { loadedAt: number; commands: Promise<readonly AvailableCommand[]> }>()

/** Whether the user sees a bot: otherwise no command of one can exist, and nothing is requested. */
function hasBots(): boolean {
  const members = getClientSession()?.store.get().members.values() ?? []
  return [...members].some(({ profile, state }) => profile.kind === 'bot' && state === 'active')
}

/** The commands of bots in a channel or thread; rejects with a sentence if they cannot be loaded. */
export function listAvailableCommands(
  channel: Uuid,
  threadRoot: Uuid | null,
): Promise<readonly AvailableCommand[]> {
  if (!hasBots()) return Promise.resolve([])
  const key = `${getClientSession()?.userId} ${channel} ${threadRoot ?? ''}`
  const known = lists.get(key)
  if (known && performance.now() - known.loadedAt < LIST_AGE_MS) return known.commands
  const commands = callCommand('list_commands', { channel, thread_root: threadRoot }).then((outcome) => {
    if (outcome.ok) return outcome.value.commands
    lists.delete(key)
    throw new Error(outcome.failure.message)
  })
  setBounded(lists, key, { loadedAt: performance.now(), commands }, 20)
  return commands
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
  if (!outcome.ok) lists.clear()
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
