import type { Commands } from '../../../wire/commands.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { createQuery } from '../queries/createQuery.ts'
import { storeChannelEntry } from '../workspaces/workspace.ts'

export type ChannelPerson = Commands['channel_people']['response']['people'][number]

export async function joinChannel(channel: Uuid): Promise<Outcome<ChannelEntry>> {
  return storeChannelEntry(await callCommand('join_channel', { channel }))
}

/** Makes a channel read-only, or ends this. */
export async function archiveChannel(channel: Uuid, on: boolean): Promise<Outcome<ChannelEntry>> {
  return storeChannelEntry(await callCommand('archive_channel', { channel, on }))
}

/** Fetches the members of a channel with their roles. */
export async function fetchChannelPeople(channel: Uuid): Promise<Outcome<ChannelPerson[]>> {
  const outcome = await callCommand('channel_people', { channel })
  return outcome.ok ? success(outcome.value.people) : outcome
}

/** The members of a channel. The `meta_rev` of the channel rises when somebody joins or leaves. */
export const channelPeople = createQuery({ isStored: true, freshMs: 60_000, fetch: fetchChannelPeople })
