import { i18n } from '@lingui/core'
import type { ChannelStorage, PersonStorage } from '../../../wire/administration.ts'
import type { StorageUsage } from '../../../wire/files.ts'
import { registerSentences, success, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { createPagedQuery } from '../queries/pagedQuery.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

registerSentences({ bad_quota: () => i18n._('Enter a limit between 0.001 and 1,000,000 GB.') })

/** The storage usage of the workspace; for owners and admins, as the lists below. */
export const storageUsage = createQuery({
  maxStored: 1,
  fetch: () => callForWorkspace('storage_usage', {}),
})

/** People by the bytes of their files, descending. */
export const personStorage = createPagedQuery({
  idOf: (person: PersonStorage) => person.profile_id,
  fetch: async (after: string | null) => {
    const outcome = await callForWorkspace('list_person_storage', { after })
    return outcome.ok ? success({ items: outcome.value.people, next: outcome.value.after }) : outcome
  },
})

/** Channels by the bytes of their files, descending. `other_bytes`: of all conversations that the list does not contain. */
export const channelStorage = createPagedQuery({
  idOf: (channel: ChannelStorage) => channel.id,
  fetch: async (after: string | null) => {
    const outcome = await callForWorkspace('list_channel_storage', { after })
    if (!outcome.ok) return outcome
    const { channels, after: next, other_bytes } = outcome.value
    return success({ items: channels, next, summary: { other_bytes } })
  },
})

/** Sets the quotas, in bytes; for owners. */
export function setStorageQuotas(quotas: {
  max_bytes: number
  max_bytes_per_person: number
}): Promise<Outcome<StorageUsage>> {
  return setAfter(storageUsage, [], callForWorkspace('set_storage_quotas', quotas))
}
