import type { Mutation } from '../mutations/mutation.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'
import type { DeviceStorage } from './deviceStorage.ts'

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
  const drafts = new Map<string, string>()
  return {
    outbox: createMemoryOutbox((key) => drafts.delete(key)),
    readDraft: async (key) => drafts.get(key) ?? '',
    writeDraft: async (key, text) => {
      if (text === '') drafts.delete(key)
      else drafts.set(key, text)
    },
    countDrafts: async () => drafts.size,
    readCache: async () => null,
    writeCache: async () => {},
    deleteOtherWorkspaces: async () => {},
    isPersistent: () => false,
    close: () => {},
  }
}
