import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

export type ChannelPerson = Commands['channel_people']['response']['people'][number]

/** Fetches the members of a channel with their roles. */
export async function fetchChannelPeople(channel: Uuid): Promise<Outcome<ChannelPerson[]>> {
  const outcome = await callCommand('channel_people', { channel })
  return outcome.ok ? success(outcome.value.people) : outcome
}

/** The members of a channel. The `meta_rev` of the channel rises when somebody joins or leaves. */
export const channelPeople = createQuery({ maxStored: 50, freshMs: 60_000, fetch: fetchChannelPeople })
