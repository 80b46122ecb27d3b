import type { BackupStatus } from '../../../wire/serverSettings.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import type { Outcome } from '../failures/failures.ts'
import { sendToServer } from './sendToServer.ts'

/** The backups of the server, for owners of the first workspace. */
export const backupStatus = createQuery({
  fetch: () => sendToServer<BackupStatus>({ method: 'GET', path: 'backup' }),
})

/** Starts a backup, unless one is running. The server makes it in the background. */
export function startBackup(): Promise<Outcome<BackupStatus>> {
  return setAfter(backupStatus, [], sendToServer<BackupStatus>({ method: 'POST', path: 'backup', body: {} }))
}
