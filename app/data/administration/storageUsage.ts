import { i18n } from '@lingui/core'
import type { Commands } from '../../../wire/commands.ts'
import type { StorageUsage } from '../../../wire/files.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { callForWorkspace } from '../workspaces/callForWorkspace.ts'

registerSentences({ bad_quota: () => i18n._('Enter a limit between 0.001 and 1,000,000 GB.') })

/** Fetches the storage usage of the workspace; for owners and admins, as the lists below. */
export function readStorageUsage(): Promise<Outcome<StorageUsage>> {
  return callForWorkspace('storage_usage', {})
}

/** A page of people by the bytes of their files, descending. */
export function listPersonStorage(
  after: string | null,
): Promise<Outcome<Commands['list_person_storage']['response']>> {
  return callForWorkspace('list_person_storage', { after })
}

/** A page of channels by the bytes of their files, descending. */
export function listChannelStorage(
  after: string | null,
): Promise<Outcome<Commands['list_channel_storage']['response']>> {
  return callForWorkspace('list_channel_storage', { after })
}

/** Sets the quotas, in bytes; for owners. */
export function setStorageQuotas(quotas: {
  max_bytes: number
  max_bytes_per_person: number
}): Promise<Outcome<StorageUsage>> {
  return callForWorkspace('set_storage_quotas', quotas)
}
