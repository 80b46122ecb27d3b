import { i18n } from '@lingui/core'
import type { StorageUsage } from '../../../wire/linnet.ts'
import { learnSentences, type Outcome } from '../failures/failures.ts'
import { command } from '../client/callCommand.ts'
import { homeless, workspaceId } from './workspace.ts'

learnSentences({ bad_quota: () => i18n._('Enter a limit between 0.001 and 1,000,000 GB.') })

/** What the files of the workspace take, for its owners and admins. */
export async function readStorageUsage(): Promise<Outcome<StorageUsage>> {
  const workspace = workspaceId()
  return workspace ? command('storage_usage', { workspace }) : homeless()
}

/** Sets the quotas, in bytes; for owners. */
export async function setStorageQuotas(quotas: {
  max_bytes: number
  max_bytes_per_person: number
}): Promise<Outcome<StorageUsage>> {
  const workspace = workspaceId()
  return workspace ? command('set_storage_quotas', { workspace, ...quotas }) : homeless()
}
