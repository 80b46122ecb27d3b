import type { ChannelEntry, Commands, Uuid } from '../../../wire/linnet.ts'
import { done } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { running } from '../session/clientSession.ts'
import { command } from '../client/callCommand.ts'
import { entered, homeless, workspaceId } from '../people/workspace.ts'

type Answer<N extends keyof Commands> = Commands[N]['answer']

function nothing(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? done(undefined) : outcome
}

export interface ChannelWish {
  kind: 'public' | 'private'
  name: string
  topic?: string
  description?: string
  posting?: 'everyone' | 'admins'
}

/** `id` is made by who asks, so that asking again after a lost answer makes no second one. */
export async function createChannel(id: Uuid, wish: ChannelWish): Promise<Outcome<ChannelEntry>> {
  const workspace = workspaceId()
  if (!workspace) return homeless()
  return entered(await command('create_channel', { id, workspace, ...wish }))
}

export async function joinChannel(channel: Uuid): Promise<Outcome<ChannelEntry>> {
  return entered(await command('join_channel', { channel }))
}

export async function leaveChannel(channel: Uuid): Promise<Outcome> {
  const outcome = await command('leave_channel', { channel })
  if (outcome.ok) running()?.store.dispatch({ type: 'channelRemoved', channelId: channel })
  return nothing(outcome)
}

export async function addMembers(channel: Uuid, people: Uuid[]): Promise<Outcome> {
  return nothing(await command('add_members', { channel, people }))
}

export async function updateChannel(
  channel: Uuid,
  change: Partial<ChannelWish>,
): Promise<Outcome<ChannelEntry>> {
  return entered(await command('update_channel', { channel, ...change }))
}

/** They lose sight of it with the transaction, unless it is public. */
export async function removeMember(channel: Uuid, person: Uuid): Promise<Outcome> {
  return nothing(await command('remove_member', { channel, person }))
}

export async function setChannelRole(
  channel: Uuid,
  person: Uuid,
  role: 'admin' | 'member',
): Promise<Outcome> {
  return nothing(await command('set_channel_role', { channel, person, role }))
}

/** Closes a channel for words, or opens it again. */
export async function archiveChannel(channel: Uuid, on: boolean): Promise<Outcome<ChannelEntry>> {
  return entered(await command('archive_channel', { channel, on }))
}

/** Public channels of the workspace, joined or not. */
export async function browseChannels(): Promise<Outcome<Answer<'browse_channels'>['channels']>> {
  const workspace = workspaceId()
  if (!workspace) return homeless()
  const outcome = await command('browse_channels', { workspace })
  return outcome.ok ? done(outcome.value.channels) : outcome
}

export async function channelPeople(channel: Uuid): Promise<Outcome<Answer<'channel_people'>['people']>> {
  const outcome = await command('channel_people', { channel })
  return outcome.ok ? done(outcome.value.people) : outcome
}
