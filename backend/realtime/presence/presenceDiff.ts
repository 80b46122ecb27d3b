/** One change of who is there. An update has both: what is shown from now on, and what was shown before. */
export interface PresenceChange {
  /** The presence key and the metas, as JSON texts: each is made once, however many are told. */
  key: string
  joins: string | null
  leaves: string | null
}

/** Who is there, as Phoenix has it: `{<key>: {"metas": [...]}}`, with a meta for each device under the key. */
export function renderMetas(entries: Iterable<readonly [key: string, meta: string]>): string {
  const byKey = new Map<string, string>()
  for (const [key, meta] of entries) {
    const existing = byKey.get(key)
    byKey.set(key, existing === undefined ? meta : `${existing},${meta}`)
  }
  return `{${Array.from(byKey, ([key, metas]) => `${key}:{"metas":[${metas}]}`).join(',')}}`
}

/** Two of those that have no key in common, as one. */
export function appendMetas(some: string, more: string): string {
  return some === '{}' ? more : `${some.slice(0, -1)},${more.slice(1)}`
}

/**
 * Changes as payloads of `presence_diff`: one as a rule. A client takes in the joins of a diff before its
 * leaves; whoever went and came back is told in two, or he would seem to have gone last.
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
