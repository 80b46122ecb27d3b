import { i18n } from '@lingui/core'
import type { ExportLink, WorkspaceExport, WorkspaceExports } from '../../../wire/moving.ts'
import { loadSettings } from '../client/settings.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery, setAfter } from '../queries/createQuery.ts'
import { NO_SERVER, sendToServer } from './sendToServer.ts'

const SENTENCES: Readonly<Record<string, () => string>> = {
  moving_busy: () =>
    i18n._('Another export or import is running on the server. Try again when it has finished.'),
  moving_disk_full: () => i18n._('The disk of the server doesn’t have enough space for this.'),
  moving_not_found: () => i18n._('This is no longer stored on the server.'),
}

/** Sends a request about an export or import. A refusal gets its sentence. */
export async function sendMoving<T>(...request: Parameters<typeof sendToServer>): Promise<Outcome<T>> {
  const outcome = await sendToServer<T>(...request)
  if (outcome.ok) return outcome
  const sentence = SENTENCES[outcome.failure.name]
  return sentence ? { ok: false, failure: { ...outcome.failure, message: sentence() } } : outcome
}

/** The export of the workspace for owners; null if the project is a hosted one, which has no such server. */
export const workspaceExports = createQuery({
  maxStored: 1,
  fetch: async (): Promise<Outcome<WorkspaceExports | null>> => {
    const outcome = await sendMoving<WorkspaceExports>({ method: 'GET', path: 'exports' })
    return !outcome.ok && outcome.failure.name === NO_SERVER ? success(null) : outcome
  },
})

/** Starts an export, which replaces the earlier one. */
export function startExport(): Promise<Outcome<WorkspaceExports | null>> {
  return setAfter(workspaceExports, [], sendMoving({ method: 'POST', path: 'exports', body: {} }))
}

/** Cancels a running export, or deletes the archive. */
export function removeExport({ id }: WorkspaceExport): Promise<Outcome<WorkspaceExports | null>> {
  return setAfter(workspaceExports, [], sendMoving({ method: 'DELETE', path: `exports/${id}` }))
}

/** Has the browser download the archive. */
export async function downloadExport({ id }: WorkspaceExport): Promise<Outcome<ExportLink>> {
  const outcome = await sendMoving<ExportLink>({ method: 'POST', path: `exports/${id}/link`, body: {} })
  if (!outcome.ok) return outcome
  const link = document.createElement('a')
  link.href = `${(await loadSettings()).url}${outcome.value.path}`
  link.download = ''
  link.click()
  return outcome
}
