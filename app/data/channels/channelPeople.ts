import type { Commands } from '../../../wire/commands.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { success } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'

export type ChannelPerson = Commands['channel_people']['response']['people'][number]

/** The members of a channel with their roles. The `meta_rev` of the channel rises when somebody joins or leaves. */
export const channelPeople = createQuery({
  maxStored: 50,
  freshMs: 60_000,
  fetch: async (channel: Uuid) => {
    const outcome = await callCommand('channel_people', { channel })
    return outcome.ok ? success(outcome.value.people) : outcome
  },
})
