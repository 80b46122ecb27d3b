import { i18n } from '@lingui/core'
import type { StorageUsage } from '../../../wire/files.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { callCommand } from '../client/callCommand.ts'
import { noWorkspace, workspaceId } from './workspace.ts'

registerSentences({ bad_quota: () => i18n._('Enter a limit between 0.001 and 1,000,000 GB.') })

/** Fetches the storage usage of the workspace; for owners and admins. */
export async function readStorageUsage(): Promise<Outcome<StorageUsage>> {
  const workspace = workspaceId()
  return workspace ? callCommand('storage_usage', { workspace }) : noWorkspace()
}

/** Sets the quotas, in bytes; for owners. */
export async function setStorageQuotas(quotas: {
  max_bytes: number
  max_bytes_per_person: number
}): Promise<Outcome<StorageUsage>> {
  const workspace = workspaceId()
  return workspace ? callCommand('set_storage_quotas', { workspace, ...quotas }) : noWorkspace()
}
