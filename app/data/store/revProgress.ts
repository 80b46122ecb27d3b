/** Which changes of a channel are applied: each change has the next rev, so that a missed event is a gap. */
export interface RevProgress {
  /** All changes up to this one are applied. */
  rev: number
  /** Changes after a gap that are applied. */
  aheadRevs: readonly number[]
}

/** A larger gap is fetched anyway. */
const MAX_AHEAD = 64

/** Records that the change `rev` is applied. */
export function advanceRev<T extends RevProgress>(progress: T, rev: number): T {
  if (rev <= progress.rev) return progress
  if (rev > progress.rev + 1) {
    if (progress.aheadRevs.includes(rev)) return progress
    return { ...progress, aheadRevs: [...progress.aheadRevs, rev].slice(-MAX_AHEAD) }
  }
  let last = rev
  while (progress.aheadRevs.includes(last + 1)) last += 1
  return { ...progress, rev: last, aheadRevs: progress.aheadRevs.filter((ahead) => ahead > last) }
}

/** Records that all changes after `after` up to `to` are applied; ignored if changes before `after` are missing. */
export function advanceRevTo<T extends RevProgress>(progress: T, after: number, to: number): T {
  if (progress.rev < after || to <= progress.rev) return progress
  const aheadRevs = progress.aheadRevs.filter((rev) => rev > to)
  const advanced = { ...progress, rev: to, aheadRevs }
  return aheadRevs.includes(to + 1) ? advanceRev(advanced, to + 1) : advanced
}
