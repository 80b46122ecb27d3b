import type { Uuid } from '../../../wire/scalars.ts'
import { workspaceOf } from './database.ts'
import type { Database } from './database.ts'

/** Workspaces whose rows are stored; those stored longest ago are deleted first. */
const MAX_WORKSPACES = 5

/** Deletes the stored rows of workspaces that are not among `current`, and of those stored longest ago. */
export async function deleteOtherWorkspaces(database: Database, current: readonly Uuid[]): Promise<void> {
  const transaction = database.transaction(['workspace', 'messages'], 'readwrite')
  const [workspaces, messages] = [transaction.objectStore('workspace'), transaction.objectStore('messages')]
  const all = await workspaces.getAllKeys()
  const stored = await Promise.all(
    all
      .filter((key) => current.includes(key))
      .map(async (key) => ({ key, at: (await workspaces.get(key))?.storedAt ?? 0 })),
  )
  const latest = stored.sort((a, b) => b.at - a.at).slice(0, MAX_WORKSPACES)
  const kept = new Set(latest.map((one) => one.key))
  const stale = (await messages.getAllKeys()).filter((key) => !kept.has(workspaceOf(key)))
  await Promise.all([
    ...all.filter((key) => !kept.has(workspaceOf(key))).map((key) => workspaces.delete(key)),
    ...stale.map((key) => messages.delete(key)),
    transaction.done,
  ])
}
