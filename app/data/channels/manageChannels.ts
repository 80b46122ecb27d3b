import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { channelList } from '../administration/administerChannels.ts'
import '../failures/channelFailures.ts'
import { withoutValue } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { refetchAfter } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { callCommand } from '../client/callCommand.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { storeChannelEntry } from '../workspaces/workspace.ts'
import { publicChannels, storeChangedChannel } from './publicChannels.ts'

export interface ChannelInput {
  kind: 'public' | 'private'
  name: string
  topic?: string
  description?: string
  posting?: 'everyone' | 'admins'
}

/** The caller creates `id`, so that repeating the request after a lost response creates no second channel. */
export async function createChannel(id: Uuid, input: ChannelInput): Promise<Outcome<ChannelEntry>> {
  return storeChangedChannel(await callForWorkspace('create_channel', { id, ...input }))
}

export async function addMembers(channel: Uuid, people: Uuid[]): Promise<Outcome> {
  return withoutValue(await callCommand('add_members', { channel, people }))
}

export async function updateChannel(
  channel: Uuid,
  change: Partial<ChannelInput>,
): Promise<Outcome<ChannelEntry>> {
  return storeChangedChannel(await callCommand('update_channel', { channel, ...change }))
}

/**
 * Lets anyone read on the web what is written in the channel from now on, or ends it. With `history`, which only owners may
 * choose, also what was written before. With `files`, also the files of these messages; for a channel on the web, it changes
 * whether the files of messages from now on are shown.
 */
export async function publishChannel(
  channel: Uuid,
  on: boolean,
  { history = false, files = false }: { history?: boolean; files?: boolean } = {},
): Promise<Outcome<ChannelEntry>> {
  return storeChannelEntry(await callCommand('publish_channel', { channel, on, history, files }))
}

/** Deletes the channel with everything in it. @param name as entered by the user */
export async function deleteChannel(channel: Uuid, name: string): Promise<Outcome> {
  const outcome = await callCommand('delete_channel', { channel, name })
  return withoutValue(refetchAfter(outcome, channelList, publicChannels))
}

/** The person loses access with the transaction, unless the channel is public. */
export async function removeMember(channel: Uuid, person: Uuid): Promise<Outcome> {
  return withoutValue(await callCommand('remove_member', { channel, person }))
}

export async function setChannelRole(
  channel: Uuid,
  person: Uuid,
  role: 'admin' | 'member',
): Promise<Outcome> {
  return withoutValue(await callCommand('set_channel_role', { channel, person, role }))
}

export async function leaveChannel(channel: Uuid): Promise<Outcome> {
  const outcome = await callCommand('leave_channel', { channel })
  if (outcome.ok) getClientSession()?.store.dispatch({ type: 'channelRemoved', channelId: channel })
  return withoutValue(refetchAfter(outcome, publicChannels))
}

/** Opens the conversation of these people and the user; without people, the one with oneself. */
export async function openDirect(people: Uuid[]): Promise<Outcome<ChannelEntry>> {
  return storeChannelEntry(await callForWorkspace('open_direct', { people }))
}
