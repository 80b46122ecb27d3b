import type { Mutation } from '../mutations/mutation.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'
import { NO_DRAFT, type DeviceStorage, type StoredDraft } from './deviceStorage.ts'

/** An outbox storage in this page's memory. */
export function createMemoryOutbox(clearDraft: (key: string) => void): OutboxStorage {
  let mutations: readonly Mutation[] = []
  return {
    all: async () => mutations,
    change: async (change, draft) => {
      mutations = change(mutations)
      if (draft !== undefined) clearDraft(draft)
      return mutations
    },
  }
}

/** Storage in this page's memory, if the browser refuses storage. */
export function createMemoryStorage(): DeviceStorage {
  const drafts = new Map<string, StoredDraft>()
  return {
    outbox: createMemoryOutbox((key) => drafts.delete(key)),
    readDraft: async (key) => drafts.get(key) ?? NO_DRAFT,
    writeDraft: async (key, draft) => {
      if (draft.text === '') drafts.delete(key)
      else drafts.set(key, draft)
    },
    countDrafts: async () => drafts.size,
    readCache: async () => null,
    writeCache: async () => {},
    deleteOtherWorkspaces: async () => {},
    isPersistent: () => false,
    close: () => {},
  }
}
