import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { storeChangedChannel } from './publicChannels.ts'

export async function joinChannel(channel: Uuid): Promise<Outcome<ChannelEntry>> {
  return storeChangedChannel(await callCommand('join_channel', { channel }))
}

/** Makes a channel read-only, or ends this. */
export async function archiveChannel(channel: Uuid, on: boolean): Promise<Outcome<ChannelEntry>> {
  return storeChangedChannel(await callCommand('archive_channel', { channel, on }))
}
