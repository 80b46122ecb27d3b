import type { Deed } from '../mutations/mutation.ts'
import type { OutboxShelf } from '../mutations/outbox.ts'

/** The outbox in this page's memory alone. */
export function memoryShelf(clearDraft: (place: string) => void): OutboxShelf {
  let deeds: readonly Deed[] = []
  return {
    all: async () => deeds,
    change: async (how, draft) => {
      deeds = how(deeds)
      if (draft !== undefined) clearDraft(draft)
      return deeds
    },
  }
}

/**
 * The first shelf until it fails (a full disk, storage that the browser closed); then this page's memory, with
 * what was known. `failed` is told once: what waits does not survive the page from then on.
 */
export function sturdyShelf(shelf: OutboxShelf, failed: () => void): OutboxShelf {
  let known: readonly Deed[] = []
  let memory: OutboxShelf | null = null

  function giveUp(): OutboxShelf {
    if (memory) return memory
    let deeds = known
    failed()
    memory = {
      all: async () => deeds,
      change: async (how, draft) => {
        const before = deeds
        deeds = how(before)
        // What is over must not be done again by the next page: letting go works on a full disk too.
        const left = new Set(deeds.map((one) => one.id))
        const gone = new Set(before.filter((one) => !left.has(one.id)).map((one) => one.id))
        if (gone.size > 0 || draft !== undefined) {
          void shelf.change((all) => all.filter((one) => !gone.has(one.id)), draft).catch(() => {})
        }
        return deeds
      },
    }
    return memory
  }

  return {
    all: async () => {
      if (memory) return memory.all()
      try {
        known = await shelf.all()
        return known
      } catch {
        return giveUp().all()
      }
    },
    change: async (how, draft) => {
      if (memory) return memory.change(how, draft)
      try {
        known = await shelf.change(how, draft)
        return known
      } catch {
        return giveUp().change(how, draft)
      }
    },
  }
}
