import type { Uuid } from '../../../wire/scalars.ts'

const keyOf = (userId: Uuid) => `linnet.workspace.${userId}`

/** The workspace that this tab has shown last, or else this device; null: none is known. */
export function lastWorkspace(userId: Uuid): Uuid | null {
  try {
    return sessionStorage.getItem(keyOf(userId)) || localStorage.getItem(keyOf(userId)) || null
  } catch {
    return null
  }
}

/** Stores the shown workspace; null: the next start opens the user's first one. */
export function rememberWorkspace(userId: Uuid, workspace: Uuid | null): void {
  try {
    for (const storage of [sessionStorage, localStorage]) storage.setItem(keyOf(userId), workspace ?? '')
  } catch {
    // Then the next start opens the first one.
  }
}
