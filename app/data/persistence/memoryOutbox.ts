import type { Uuid } from '../../../wire/scalars.ts'
import type { Mutation } from '../mutations/mutation.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'

/**
 * The first storage until it fails (a full disk, storage that the browser closed); then this page's memory, with
 * what was read last. `onFailure` is called once: from then on pending mutations do not survive the page. What other
 * pages store is still read where that is possible: if this page is the leader, nobody else sends it.
 */
export function withMemoryFallback(storage: OutboxStorage, onFailure: () => void): OutboxStorage {
  let lastRead: readonly Mutation[] = []
  let memory: OutboxStorage | null = null

  function useMemory(): OutboxStorage {
    if (memory) return memory
    let mutations = lastRead
    /** All that were ever read or created: one that was removed here may still be stored. */
    const known = idsOf(mutations)
    /** Those that are as they were read: another page may change or remove them. */
    const unchanged = idsOf(mutations)
    onFailure()
    const readStored = async () => {
      const stored = new Map((await storage.all()).map((one) => [one.id, one]))
      const kept = mutations.flatMap((one) => (unchanged.has(one.id) ? (stored.get(one.id) ?? []) : one))
      const added = [...stored.values()].filter((one) => !known.has(one.id))
      mutations = [...kept, ...added]
      for (const { id } of added) {
        known.add(id)
        unchanged.add(id)
      }
    }
    memory = {
      all: async () => {
        await readStored().catch(() => {})
        return mutations
      },
      change: async (change, draft) => {
        const before = mutations
        mutations = change(before)
        const same = new Set(before)
        for (const one of mutations) {
          if (same.has(one)) continue
          known.add(one.id)
          unchanged.delete(one.id)
        }
        // Completed mutations must not be sent again by the next page: removing them works on a full disk too.
        const remainingIds = idsOf(mutations)
        const removedIds = idsOf(before.filter((one) => !remainingIds.has(one.id)))
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
        useMemory()
        return lastRead
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

function idsOf(mutations: readonly Mutation[]): Set<Uuid> {
  return new Set(mutations.map((one) => one.id))
}
