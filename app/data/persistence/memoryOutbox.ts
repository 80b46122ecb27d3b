import type { Mutation } from '../mutations/mutation.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'

/**
 * The first storage until it fails (a full disk, storage that the browser closed); then this page's memory, with
 * what was read last. `onFailure` is called once: from then on pending mutations do not survive the page.
 */
export function withMemoryFallback(storage: OutboxStorage, onFailure: () => void): OutboxStorage {
  let lastRead: readonly Mutation[] = []
  let memory: OutboxStorage | null = null

  function useMemory(): OutboxStorage {
    if (memory) return memory
    let mutations = lastRead
    onFailure()
    memory = {
      all: async () => mutations,
      change: async (change, draft) => {
        const before = mutations
        mutations = change(before)
        // Completed mutations must not be sent again by the next page: removing them works on a full disk too.
        const remainingIds = new Set(mutations.map((one) => one.id))
        const removedIds = new Set(before.filter((one) => !remainingIds.has(one.id)).map((one) => one.id))
        if (removedIds.size > 0 || draft !== undefined) {
          void storage.change((all) => all.filter((one) => !removedIds.has(one.id)), draft).catch(() => {})
        }
        return mutations
      },
    }
    return memory
  }

  return {
    all: async () => {
      if (memory) return memory.all()
      try {
        lastRead = await storage.all()
        return lastRead
      } catch {
        return useMemory().all()
      }
    },
    change: async (change, draft) => {
      if (memory) return memory.change(change, draft)
      try {
        lastRead = await storage.change(change, draft)
        return lastRead
      } catch {
        return useMemory().change(change, draft)
      }
    },
  }
}
