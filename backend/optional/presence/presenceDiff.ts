/** A join, a leave, or an update, which has both the new and the previous meta. */
export interface PresenceChange {
  /** The presence key and the metas, as JSON texts, rendered once for all recipients. */
  key: string
  joins: string | null
  leaves: string | null
}

/** Presences in Phoenix's format: `{<key>: {"metas": [...]}}`, with one meta per device. */
export function renderMetas(entries: Iterable<readonly [key: string, meta: string]>): string {
  const byKey = new Map<string, string>()
  for (const [key, meta] of entries) {
    const existing = byKey.get(key)
    byKey.set(key, existing === undefined ? meta : `${existing},${meta}`)
  }
  return `{${Array.from(byKey, ([key, metas]) => `${key}:{"metas":[${metas}]}`).join(',')}}`
}

/** Joins two rendered objects without common keys. */
export function appendMetas(some: string, more: string): string {
  return some === '{}' ? more : `${some.slice(0, -1)},${more.slice(1)}`
}

/**
 * Changes as payloads of `presence_diff`, usually one. Clients apply the joins of a diff before its leaves, so a leave
 * that is followed by a join of the same key is split into two diffs.
 */
export function renderDiffs(changes: readonly PresenceChange[]): string[] {
  const diffs: string[] = []
  let from = 0
  let left = new Set<string>()
  changes.forEach((change, at) => {
    if (change.leaves === null && left.has(change.key)) {
      diffs.push(renderDiff(changes.slice(from, at)))
      from = at
      left = new Set()
    }
    if (change.joins === null) left.add(change.key)
  })
  if (from < changes.length) diffs.push(renderDiff(changes.slice(from)))
  return diffs
}

function renderDiff(changes: readonly PresenceChange[]): string {
  const renderMembers = (name: 'joins' | 'leaves'): string =>
    renderMetas(
      changes.flatMap((change) => {
        const meta = change[name]
        return meta === null ? [] : [[change.key, meta] as const]
      }),
    )
  return `{"joins":${renderMembers('joins')},"leaves":${renderMembers('leaves')}}`
}
